/** Limits how long a project's code may take to load a graph, so that other graphs don't wait for it. */

const MAX_SECONDS = 10;

/** Rejects with the error that `late` returns if the work takes too long. */
export async function inTime<T>(work: Promise<T>, late: (seconds: number) => Error): Promise<T> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late(MAX_SECONDS)), MAX_SECONDS * 1000);
  try {
    return await Promise.race([work, refused]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error for a graph factory that takes too long. */
export function notMade(seconds: number): Error {
  return new Error(`the function that makes the graph did not return within ${seconds} s`);
}
