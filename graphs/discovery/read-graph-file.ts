/**
 * Imports a file that should only define its exports. A file that does more is rejected, and the other files are not affected.
 */

import { inTime } from './in-time.ts';

const { exit } = process;

/**
 * Returns the result of `take` for the file's exports. Throws errors of either, and if the file doesn't finish loading or
 * exits the process; `hint` explains what to do about a file that doesn't finish.
 */
export async function readGraphFile<T>(
  file: string,
  take: (exports: Record<string, unknown>) => Promise<T>,
  hint = 'move what it awaits into its agents',
): Promise<T> {
  process.exit = () => {
    throw new Error('it exits the process when it is imported');
  };
  try {
    return await inTime(import(file).then(take), unfinished(hint));
  } finally {
    process.exit = exit;
  }
}

function unfinished(hint: string): (seconds: number) => Error {
  return (seconds) => new Error(`it does not finish loading within ${seconds} s: ${hint}`);
}
