/** Bundles a project's UI components at the first request and caches them until the service stops. */
import { join } from 'node:path';
import type { ComponentFiles } from '../../graphs/discovery/langgraph-json.ts';
import type { BundledFile, BundleRequest } from './bundle-process.ts';

export interface BundleFile {
  name: string;
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ComponentBundles {
  /** Returns the bundled files of a graph's components, or undefined if it has none. Throws if the bundling fails. */
  find(graph: string): Promise<BundleFile[] | undefined>;
}

const PROCESS = join(import.meta.dir, 'bundle-process.ts');
const TIMEOUT_MS = 120_000;

/** `ui` are the components of langgraph.json. Undefined if it has none. */
export function componentBundles(ui: ComponentFiles | undefined): ComponentBundles {
  const files = new Map(Object.entries(ui?.files ?? {}));
  const bundles = new Map<string, Promise<BundleFile[]>>();
  return {
    async find(graph) {
      const file = files.get(graph);
      if (file === undefined) return undefined;
      const bundle = bundles.get(graph) ?? bundled(graph, { file, shared: ui?.shared ?? [] });
      bundles.set(graph, bundle);
      try {
        return await bundle;
      } catch (error) {
        // Don't cache the failure: the file may be fixed before the next request.
        if (bundles.get(graph) === bundle) bundles.delete(graph);
        throw error;
      }
    },
  };
}

/** The global variable of the page that a graph's bundle sets. */
export function variableOf(graph: string): string {
  return `__LGUI_${graph.replace(/[^a-zA-Z0-9]/g, '_')}`;
}

async function bundled(
  graph: string,
  { file, shared }: Omit<BundleRequest, 'variable'>,
): Promise<BundleFile[]> {
  const request: BundleRequest = { file, shared, variable: variableOf(graph) };
  const child = Bun.spawn([process.execPath, '--no-env-file', PROCESS, JSON.stringify(request)], {
    // Not the project's folder, because Bun would read its bunfig.toml.
    cwd: import.meta.dir,
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
  });
  const [text, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0)
    throw new Error(`bundling the components of ui.${graph} failed: ${errors.slice(0, 2_000)}`);
  const bundledFiles: BundledFile[] = JSON.parse(text);
  return bundledFiles.map(({ bytes, ...rest }) => ({ ...rest, bytes: Uint8Array.fromBase64(bytes) }));
}
