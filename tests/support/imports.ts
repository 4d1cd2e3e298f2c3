/** Finds all imports between the files of the service. */
import { dirname, join, relative } from 'node:path';

/** The layers from bottom to top. A folder may import from itself and from earlier ones in this list. */
export const LAYERS = [
  ...['state', 'prompts', 'tools', 'graphs', 'runtime', 'server'],
  ...['client', 'settings', 'evals', 'cli', 'studio'],
];

export const ROOT = join(import.meta.dir, '../..');
export const FILES = LAYERS.flatMap((layer) => [...new Bun.Glob(`${layer}/**/*.{ts,tsx}`).scanSync(ROOT)]);
export const IMPORTS = new Map(
  await Promise.all(FILES.map(async (file) => [file, await importsOf(file)] as const)),
);

/** Includes type imports, because a file that needs another file's type depends on it. */
async function importsOf(file: string): Promise<string[]> {
  const text = await Bun.file(join(ROOT, file)).text();
  const targets = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g);
  return Array.from(targets, ([, target]) => relative(ROOT, join(ROOT, dirname(file), target ?? '')));
}

/** The index of the file's layer. */
export function layerOf(file: string): number {
  return LAYERS.indexOf(file.split('/')[0] ?? '');
}
