/** Waits for a promise for a limited time; the promise itself goes on. */

/** What `within` returns when the time is over. */
export const LATE = Symbol('late');

export async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | typeof LATE> {
  const late = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => late.resolve(LATE), milliseconds);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
