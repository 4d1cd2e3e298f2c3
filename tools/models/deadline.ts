/** A signal that aborts with another one or after a time, and that keeps neither once it is released. */

export interface Deadline {
  signal: AbortSignal;
  /** Has to be called: `AbortSignal.timeout` would hold 1.7 KB a call until its time is over. */
  release(): void;
}

/** After `milliseconds` the signal's reason is `reason`; before that, it is that of `parent`. */
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
