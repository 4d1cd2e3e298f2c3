/** Reads a file that should only define what it exports: one that does more is refused without harming the others. */

import { inTime } from './in-time.ts';

const { exit } = process;

/**
 * Returns what `take` makes of the file's exports. Throws what either of them throws, and if the file doesn't finish loading or
 * ends the process; `hint` says what to do about one that doesn't finish.
 */
export async function readGraphFile<T>(
  file: string,
  take: (exports: Record<string, unknown>) => Promise<T>,
  hint = 'what it awaits belongs into its agents',
): Promise<T> {
  process.exit = () => {
    throw new Error('it ends the process where it is read');
  };
  try {
    return await inTime(import(file).then(take), unfinished(hint));
  } finally {
    process.exit = exit;
  }
}

function unfinished(hint: string): (seconds: number) => Error {
  return (seconds) => new Error(`it does not come to its end within ${seconds} s: ${hint}`);
}
