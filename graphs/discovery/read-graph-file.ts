/** Reads a file that should only define what it exports: one that does more is refused without harming the others. */

const READ_MS = 10_000;
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
    return await inTime(import(file).then(take), hint);
  } finally {
    process.exit = exit;
  }
}

/** Rejects if the file's work takes too long: the others are not to wait for it. */
export async function inTime<T>(work: Promise<T>, hint: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const reason = `it does not come to its end within ${READ_MS / 1000} s: ${hint}`;
  const timer = setTimeout(() => late.reject(new Error(reason)), READ_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
