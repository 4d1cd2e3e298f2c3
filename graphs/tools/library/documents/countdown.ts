/** A timer that can be stopped for a while. */

export interface Countdown {
  pause(): void;
  resume(): void;
  clear(): void;
}

/** Runs from the start on. */
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
