/** The components that a project brings for pages: bundled when somebody first asks, and kept until the service stops. */
import { join } from 'node:path';
import type { ComponentFiles } from '../../graphs/discovery/langgraph-json.ts';
import type { BundledPart, ToBundle } from './bundle-process.ts';

export interface BundleFile {
  name: string;
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ComponentBundles {
  /** The files of a graph's components; undefined if it has none. Throws where they cannot be bundled. */
  find(graph: string): Promise<BundleFile[] | undefined>;
}

const PROCESS = join(import.meta.dir, 'bundle-process.ts');
const PATIENCE_MS = 120_000;

export function componentBundles(ui: ComponentFiles | undefined): ComponentBundles {
  const files = new Map(Object.entries(ui?.files ?? {}));
  const made = new Map<string, Promise<BundleFile[]>>();
  return {
    async find(graph) {
      const file = files.get(graph);
      if (file === undefined) return undefined;
      const known = made.get(graph) ?? bundled(graph, { file, shared: ui?.shared ?? [] });
      made.set(graph, known);
      try {
        return await known;
      } catch (error) {
        // The file may have been mended when the next request comes.
        if (made.get(graph) === known) made.delete(graph);
        throw error;
      }
    },
  };
}

/** The variable of the page that the bundle of a graph sets. */
export function variableOf(graph: string): string {
  return `__LGUI_${graph.replace(/[^a-zA-Z0-9]/g, '_')}`;
}

async function bundled(graph: string, { file, shared }: Omit<ToBundle, 'variable'>): Promise<BundleFile[]> {
  const asked: ToBundle = { file, shared, variable: variableOf(graph) };
  const child = Bun.spawn([process.execPath, '--no-env-file', PROCESS, JSON.stringify(asked)], {
    // Not in the project's folder: Bun would read its bunfig.toml.
    cwd: import.meta.dir,
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: PATIENCE_MS,
  });
  const [text, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0)
    throw new Error(`the components of ui.${graph} cannot be bundled: ${said.slice(0, 2_000)}`);
  const parts: BundledPart[] = JSON.parse(text);
  return parts.map(({ bytes, ...part }) => ({ ...part, bytes: Uint8Array.fromBase64(bytes) }));
}
