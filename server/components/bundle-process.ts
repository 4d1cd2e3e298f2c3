/** Run as a process of its own: bundles the components of a graph for browsers, and writes its files to standard output. */
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import type { BunPlugin } from 'bun';

export interface ToBundle {
  /** Absolute: its default export has the components, by name. */
  file: string;
  /** The variable of the page that has `render`. */
  variable: string;
  /** Packages that the page brings, besides React and LangGraph's SDK. */
  shared: string[];
}

/** `bytes`: as base64. */
export interface BundledPart {
  name: string;
  type: string;
  bytes: string;
}

const ENTRY = 'entrypoint';
// What LangGraph's `LoadExternalComponent` hands on.
const SHARED = ['react', 'react-dom', '@langchain/langgraph-sdk'];
// Where the cores are few, the service's own work goes first.
const NICE = 5;

if (import.meta.main) {
  setPriority(NICE);
  const asked: ToBundle = JSON.parse(process.argv[2] ?? '');
  await Bun.write(Bun.stdout, JSON.stringify(await bundled(asked)));
}

async function bundled(asked: ToBundle): Promise<BundledPart[]> {
  const { outputs } = await Bun.build({
    ...{ entrypoints: [ENTRY], naming: '[name].[ext]', target: 'browser', format: 'iife' },
    define: { 'process.env.NODE_ENV': '"production"' },
    // Pages have no `react/jsx-dev-runtime` to share.
    jsx: { runtime: 'automatic', development: false },
    plugins: [components(asked)],
  });
  return Promise.all(
    outputs.map(async (output) => ({
      name: basename(output.path),
      type: output.type,
      bytes: new Uint8Array(await output.arrayBuffer()).toBase64(),
    })),
  );
}

/** The entry, which shows a component in the shadow root that the page made, and the packages that are the page's own. */
function components({ file, variable, shared }: ToBundle): BunPlugin {
  const isShared = (path: string) =>
    [...SHARED, ...shared].some((name) => path === name || path.startsWith(`${name}/`));
  return {
    name: 'components',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${ENTRY}$`) }, () => ({ path: ENTRY, namespace: 'entry' }));
      build.onLoad({ filter: /./, namespace: 'entry' }, () => ({
        loader: 'js',
        contents: entryOf(file, variable),
      }));
      build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        isShared(path) ? { path, namespace: 'shared' } : undefined,
      );
      build.onLoad({ filter: /./, namespace: 'shared' }, ({ path }) => ({
        loader: 'js',
        contents: `module.exports = globalThis[Symbol.for("LGUI_REQUIRE")](${JSON.stringify(path)});`,
      }));
    },
  };
}

function entryOf(file: string, variable: string): string {
  return `import components from ${JSON.stringify(file)};
globalThis.${variable} = {
  render(name, shadowRootId) {
    const element = document.createElement('div');
    document.getElementById(shadowRootId).shadowRoot.appendChild(element);
    window[Symbol.for("LGUI_EXT_STORE")].respond(shadowRootId, components[name], element);
  },
};`;
}
