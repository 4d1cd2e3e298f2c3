/** Bounds how long a project's code may take to make a graph available: the others do not wait for it. */

const MOST_SECONDS = 10;

/** Rejects with what `late` returns if the work takes too long. */
export async function inTime<T>(work: Promise<T>, late: (seconds: number) => Error): Promise<T> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late(MOST_SECONDS)), MOST_SECONDS * 1000);
  try {
    return await Promise.race([work, refused]);
  } finally {
    clearTimeout(timer);
  }
}

/** The reason where a function that makes a graph was waited for. */
export function notMade(seconds: number): Error {
  return new Error(`the function that makes the graph did not return within ${seconds} s`);
}
