/** Time limits of a run: how long it waits for a slot, and how long it executes. */
import { SkeinError } from '../../state/errors.ts';

// A timer takes at most 2^31 - 1 ms, about 24 days.
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits for the run's slot. Throws RUN_TIMEOUT after `seconds`, and the reason of `signal` if the run is stopped before.
 */
export async function waitForSlot<T>(granted: Promise<T>, seconds: number, signal: AbortSignal): Promise<T> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const message = `The run waited longer than ${seconds} s for its start`;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (remaining: number) => {
    const expired = () =>
      remaining > MAX_TIMER_MS
        ? wait(remaining - MAX_TIMER_MS)
        : reject(new SkeinError('RUN_TIMEOUT', { message }));
    timer = setTimeout(expired, Math.min(remaining, MAX_TIMER_MS));
  };
  wait(seconds * 1000);
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const slot = await Promise.race([granted, refused]);
    signal.throwIfAborted();
    return slot;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Aborts `stopper` with RUN_TIMEOUT after `seconds`. Clear the returned timer when the run ends. */
export function startDeadline(stopper: AbortController, seconds: number): ReturnType<typeof setTimeout> {
  const error = () => new SkeinError('RUN_TIMEOUT', { detail: `The deadline was ${seconds} s` });
  return setTimeout(() => stopper.abort(error()), seconds * 1000);
}
