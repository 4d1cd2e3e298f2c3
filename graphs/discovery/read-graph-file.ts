/** Reads a graph file, which should only define its graph: one that does more is refused without harming the others. */

const READ_MS = 10_000;
const { exit } = process;

/**
 * Returns what `take` makes of the file's exports. Throws what either of them throws, and if the file doesn't finish loading or
 * ends the process.
 */
export async function readGraphFile<T>(
  file: string,
  take: (exports: Record<string, unknown>) => Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const reason = `it does not come to its end within ${READ_MS / 1000} s: what it awaits belongs into its agents`;
  const timer = setTimeout(() => late.reject(new Error(reason)), READ_MS);
  process.exit = () => {
    throw new Error('it ends the process where it is read');
  };
  try {
    return await Promise.race([import(file).then(take), late.promise]);
  } finally {
    clearTimeout(timer);
    process.exit = exit;
  }
}
