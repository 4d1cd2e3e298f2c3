/** Waits for a promise with a timeout. The timeout doesn't cancel the promise's work. */

export const TIMED_OUT = Symbol('timed out');

/** Returns TIMED_OUT if the promise is still pending after this time. */
export async function withTimeout<T>(
  promise: Promise<T>,
  milliseconds: number,
): Promise<T | typeof TIMED_OUT> {
  const timeout = Promise.withResolvers<typeof TIMED_OUT>();
  const timer = setTimeout(() => timeout.resolve(TIMED_OUT), milliseconds);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
