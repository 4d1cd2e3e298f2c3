/** Reads a graph file, which only defines: one that does more is refused, and harms no other. */

const READ_MS = 10_000;
const { exit } = process;

/** Gives what `take` makes of what the file exports. Throws what either throws, and where the file does not come to its end or ends the process. */
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
