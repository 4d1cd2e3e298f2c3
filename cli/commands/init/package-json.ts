/** The project's package.json. */
import skein from '../../../package.json';

const { '@huggingface/transformers': transformers, openai } = skein.overrides;
const { '@langchain/core': core, '@langchain/langgraph': langgraph, zod } = skein.devDependencies;
// Peer dependencies of Skein: the project pins the version for both, and these are tested.
const LANGGRAPH = { '@langchain/core': core, '@langchain/langgraph': langgraph };

/** `source`: the version of skein, or `file:` and a path. */
export function packageJson(name: string, source: string): string {
  return json({
    name,
    private: true,
    type: 'module',
    engines: skein.engines,
    scripts: {
      start: 'bun scripts/install.ts && BUN_CONFIG_MAX_HTTP_REQUESTS=4096 skein serve',
      dev: 'bun scripts/install.ts && skein dev',
      skein: 'skein',
      test: 'bun scripts/install.ts && bun test',
      typecheck: 'tsc --noEmit',
    },
    dependencies: { ...LANGGRAPH, skein: source, zod },
    devDependencies: {
      'bun-types': skein.devDependencies['bun-types'],
      typescript: skein.devDependencies.typescript,
    },
    // Overrides only work at the top level: without them, an optional part of the vector store adds 300 MB.
    overrides: { '@huggingface/transformers': transformers, openai },
  });
}

/** The characters of the folder's name that npm allows in a name; a default if none remain. */
export function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'service' : name.slice(0, 214);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
