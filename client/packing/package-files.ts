/** The files of the package `skein-client`. */
import { join } from 'node:path';
import { declarations } from './declarations.ts';

const ROOT = join(import.meta.dir, '..', '..');
const ENTRY = join(ROOT, 'client/light/client.ts');

/** Bundled packages, whose licenses require that the package contains the license text. */
const BUNDLED = ['@elysiajs/eden', 'eventsource-parser'];

/** The text of each file, by file name. */
export async function packageFiles(): Promise<Map<string, string>> {
  return new Map([
    ['package.json', await manifest()],
    ['README.md', await textOf('client/packing/README.md')],
    ['LICENSE', await textOf('LICENSE')],
    ['THIRD-PARTY-LICENSES', await licenses()],
    ['index.js', await code()],
    ...declarations(),
  ]);
}

async function manifest(): Promise<string> {
  const { version, license } = JSON.parse(await textOf('package.json'));
  const fields = {
    name: 'skein-client',
    version,
    description: 'The typed client of Skein, a self-hosted runtime service for LangGraph agent workflows.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  };
  return `${JSON.stringify(fields, null, 2)}\n`;
}

async function code(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [ENTRY],
    target: 'browser',
    format: 'esm',
    minify: true,
  });
  const texts = await Promise.all(outputs.map((output) => output.text()));
  return texts.join('');
}

async function licenses(): Promise<string> {
  const texts = BUNDLED.map(async (name) => `${name}\n\n${await textOf(`node_modules/${name}/LICENSE`)}`);
  return (await Promise.all(texts)).join('\n\n');
}

function textOf(path: string): Promise<string> {
  return Bun.file(join(ROOT, path)).text();
}
