/** The times that a run may wait and may take. */
import { SkeinError } from '../../state/errors.ts';

// What a timer can hold: 24 days.
const MOST_MS = 2 ** 31 - 1;

/** Waits for the run's place, at most so long, and not when the run is stopped. */
export async function patience<T>(ready: Promise<T>, seconds: number, signal: AbortSignal): Promise<T> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const message = `The run waited longer than ${seconds} s for its start`;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (left: number) => {
    const later = () =>
      left > MOST_MS ? wait(left - MOST_MS) : reject(new SkeinError('RUN_TIMEOUT', { message }));
    timer = setTimeout(later, Math.min(left, MOST_MS));
  };
  wait(seconds * 1000);
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const come = await Promise.race([ready, refused]);
    signal.throwIfAborted();
    return come;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Stops the run when its time is over. */
export function deadline(stopper: AbortController, seconds: number): ReturnType<typeof setTimeout> {
  const error = () => new SkeinError('RUN_TIMEOUT', { detail: `The deadline was ${seconds} s` });
  return setTimeout(() => stopper.abort(error()), seconds * 1000);
}
