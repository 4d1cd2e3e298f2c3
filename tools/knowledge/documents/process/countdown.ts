/** A timer that can be paused. */

export interface Countdown {
  pause(): void;
  resume(): void;
  clear(): void;
}

/** Starts immediately. */
export function countdown(ms: number, onEnd: () => void): Countdown {
  let remainingMs = ms;
  let since = performance.now();
  let timer = setTimeout(onEnd, remainingMs);
  let cleared = false;
  return {
    pause() {
      clearTimeout(timer);
      remainingMs -= performance.now() - since;
    },
    // A read that is aborted during a pause clears the timer before it resumes.
    resume() {
      if (cleared) return;
      since = performance.now();
      timer = setTimeout(onEnd, remainingMs);
    },
    clear() {
      cleared = true;
      clearTimeout(timer);
    },
  };
}
