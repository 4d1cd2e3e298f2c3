/** The packed `skein-client`, installed alone: its files, the platforms on which it runs, and its types. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../../../client/packing/pack.ts';
import { runningProvider, runningService } from '../../server/support/running.ts';
import { reportMissing } from '../../support/missing.ts';
import { spawnProcess } from '../../support/process.ts';
import { afterEvent, cuttingProxy } from '../cutting-proxy.ts';
import { comparison, LIBRARY, MISTAKES, program } from './consumer.ts';

// Compilers read the types of the whole service, on a machine that may be busy.
setDefaultTimeout(300_000);

const ROOT = join(import.meta.dir, '..', '..', '..');
const service = runningService(runningProvider());
const folder = mkdtempSync(join(tmpdir(), 'skein-light-'));
const installed = join(folder, 'node_modules', 'skein-client');
let tarball = '';

beforeAll(async () => {
  tarball = await pack(folder);
  await write('package.json', '{ "name": "consumer", "type": "module", "private": true }');
  await run([process.execPath, 'add', tarball]);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('it has no dependencies, and only the bundle, its declarations and the licenses', async () => {
  expect(statSync(tarball).size).toBeLessThan(50 * 1024);
  expect((await Array.fromAsync(new Bun.Glob('*').scan(join(folder, 'node_modules')))).sort()).toEqual([]);
  expect((await Array.fromAsync(new Bun.Glob('**').scan(installed))).sort()).toEqual([
    ...['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES'],
    ...['api-error.d.ts', 'follow-run.d.ts', 'index.d.ts', 'index.js', 'options.d.ts', 'package.json'],
    ...['requests.d.ts', 'run-events.d.ts', 'service.d.ts', 'stream-chat.d.ts', 'treaty.d.ts'],
  ]);
  const manifest = await Bun.file(join(installed, 'package.json')).json();
  expect(manifest).toMatchObject({ name: 'skein-client', type: 'module' });
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
});

test('it runs in Node', async () => {
  if (!Bun.which('node')) return reportMissing('node', 'apt-get install -y nodejs');
  await runsIn((file) => ['node', file]);
});

test('it runs in Bun', () => runsIn((file) => [process.execPath, file]));

test('a bundle for browsers runs and imports no platform module', async () => {
  await runsIn(async (file) => {
    const bundle = join(folder, 'bundle.js');
    await run([process.execPath, 'build', file, '--target', 'browser', '--outfile', bundle]);
    expect(await Bun.file(bundle).text()).not.toMatch(/from ?["']|require\(|["']node:/);
    return [process.execPath, bundle];
  });
});

/** Compiler options without the types of browsers. */
const NODE_ALONE = { lib: ['es2022'], types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };

test.each([
  { compiler: 'typescript', module: 'nodenext', platform: 'Node', ...NODE_ALONE },
  { compiler: 'typescript', module: 'nodenext', platform: 'browsers' },
  { compiler: 'typescript', module: 'esnext', moduleResolution: 'bundler', platform: 'browsers' },
  { compiler: 'typescript-5', module: 'nodenext', platform: 'browsers' },
  { compiler: 'typescript-5', module: 'esnext', moduleResolution: 'bundler', platform: 'browsers' },
])(
  'its types pass strict checks with $compiler, $module and the types of $platform',
  async ({ compiler, platform: _, ...options }) => {
    await write('use.ts', program(service.url, service.url));
    await write('mistakes.ts', MISTAKES);
    await write('library.ts', LIBRARY);
    const strict = {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      declaration: true,
      target: 'es2022',
      types: [],
    };
    await compiled(compiler, {
      compilerOptions: { ...strict, ...options },
      files: ['use.ts', 'mistakes.ts', 'library.ts'],
    });
  },
);

test('its types equal those of skein/client', async () => {
  await write('comparison.ts', comparison(ROOT));
  await compiled('typescript', {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules')] },
    include: [],
    files: ['comparison.ts'],
  });
});

/** Runs the program; the first connection of its stream is cut after two events. */
async function runsIn(commandFor: (file: string) => string[] | Promise<string[]>): Promise<void> {
  const proxy = cuttingProxy(service.url);
  try {
    proxy.cuts = [afterEvent(2)];
    const file = await write('use.js', program(service.url, proxy.url));
    const seen = JSON.parse(await run(await commandFor(file)));
    const ids = seen.ids.map((_: number, index: number) => index + 1);
    expect(seen).toMatchObject({
      agents: ['classification_agent', 'support_responder'],
      status: 200,
      sameThread: true,
      ids,
      text: 're: My pedal broke.',
      after: ids.slice(2),
      refused: { status: 400, value: { error_code: 'INVALID_WORKFLOW_TYPE' } },
      thrown: { status: 400, code: 'INVALID_WORKFLOW_TYPE' },
    });
    expect(ids.length).toBeGreaterThan(4);
    expect(proxy.requests.length).toBeGreaterThan(1);
  } finally {
    proxy.close();
  }
}

async function compiled(compiler: string, tsconfig: object): Promise<void> {
  const file = await write('tsconfig.json', JSON.stringify(tsconfig));
  const tsc = join(ROOT, 'node_modules', compiler, 'bin', 'tsc');
  await run([process.execPath, tsc, '--project', file]);
}

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await Bun.write(file, text);
  return file;
}

/** Returns the output of the command. If the command fails, throws an error with the output. */
async function run(command: string[]): Promise<string> {
  const child = spawnProcess(command, folder, { HOME: homedir() });
  await Array.fromAsync(child.lines);
  await child.errors;
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}:\n${child.output()}`);
  return child.output();
}
