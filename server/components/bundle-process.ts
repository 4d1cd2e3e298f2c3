/** The main module of a child process that bundles a graph's UI components for browsers. Prints the files to standard output. */
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import type { BunPlugin } from 'bun';

export interface BundleRequest {
  /** An absolute path. The file's default export is an object of components by name. */
  file: string;
  /** The global variable of the page that gets an object with `render`. */
  variable: string;
  /** Packages that the page provides, in addition to React and LangGraph's SDK. */
  shared: string[];
}

export interface BundledFile {
  name: string;
  type: string;
  /** In base64. */
  bytes: string;
}

const ENTRY = 'entrypoint';
// The packages that LangGraph's `LoadExternalComponent` provides.
const SHARED = ['react', 'react-dom', '@langchain/langgraph-sdk'];
// A lower priority, so that the service's own work comes first on few cores.
const NICE = 5;

if (import.meta.main) {
  setPriority(NICE);
  const request: BundleRequest = JSON.parse(process.argv[2] ?? '');
  await Bun.write(Bun.stdout, JSON.stringify(await bundle(request)));
}

async function bundle(request: BundleRequest): Promise<BundledFile[]> {
  const { outputs } = await Bun.build({
    ...{ entrypoints: [ENTRY], naming: '[name].[ext]', target: 'browser', format: 'iife' },
    define: { 'process.env.NODE_ENV': '"production"' },
    // Pages don't provide `react/jsx-dev-runtime`.
    jsx: { runtime: 'automatic', development: false },
    plugins: [components(request)],
  });
  return Promise.all(
    outputs.map(async (output) => ({
      name: basename(output.path),
      type: output.type,
      bytes: new Uint8Array(await output.arrayBuffer()).toBase64(),
    })),
  );
}

/** Provides the entry module, and replaces shared packages with those of the page. */
function components({ file, variable, shared }: BundleRequest): BunPlugin {
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

/** A module that renders a component into a shadow root, which the page has created. */
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
