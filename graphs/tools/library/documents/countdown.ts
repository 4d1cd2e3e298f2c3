/** A timer that can be paused. */

export interface Countdown {
  pause(): void;
  resume(): void;
  clear(): void;
}

/** Starts running at once. */
export function countdown(ms: number, onEnd: () => void): Countdown {
  let left = ms;
  let since = performance.now();
  let timer = setTimeout(onEnd, left);
  return {
    pause() {
      clearTimeout(timer);
      left -= performance.now() - since;
    },
    resume() {
      since = performance.now();
      timer = setTimeout(onEnd, left);
    },
    clear: () => clearTimeout(timer),
  };
}
