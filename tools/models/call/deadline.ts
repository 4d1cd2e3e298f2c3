/** A signal that aborts together with another signal or after a time, and that retains no memory once it is released. */

export interface Deadline {
  signal: AbortSignal;
  /** Must be called. `AbortSignal.timeout` would retain 1.7 KB per call until its time is up. */
  release(): void;
}

/** After `milliseconds`, the signal aborts with `reason`. If `parent` aborts earlier, it aborts with the reason of `parent`. */
export function openDeadline(parent: AbortSignal, milliseconds: number, reason: () => Error): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  const timer = setTimeout(() => controller.abort(reason()), milliseconds);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      parent.removeEventListener('abort', follow);
    },
  };
}
