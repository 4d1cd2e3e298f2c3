/** Reads a graph file, which should only define its graph: one that does more is refused without harming the others. */

import { inTime } from './in-time.ts';

const { exit } = process;

/**
 * Returns what `take` makes of the file's exports. Throws what either of them throws, and if the file doesn't finish loading or
 * ends the process.
 */
export async function readGraphFile<T>(
  file: string,
  take: (exports: Record<string, unknown>) => Promise<T>,
): Promise<T> {
  process.exit = () => {
    throw new Error('it ends the process where it is read');
  };
  try {
    return await inTime(import(file).then(take), unfinished);
  } finally {
    process.exit = exit;
  }
}

function unfinished(seconds: number): Error {
  return new Error(`it does not come to its end within ${seconds} s: what it awaits belongs into its agents`);
}
