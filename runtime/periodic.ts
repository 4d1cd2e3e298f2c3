/** Calls a function periodically, never twice at the same time. */

export interface Periodic {
  /** Starts after half a second, then `everyMs` after each end. */
  start(): void;
  /** Stops, and resolves when work in progress has ended. */
  stop(): Promise<void>;
  /** Long work should check this and end early. */
  readonly stopped: boolean;
}

const FIRST_MS = 500;

/** `failed` is called with the error of a failed call; the next call follows after the same time. */
export function periodic(
  work: () => Promise<void>,
  { everyMs, failed }: { everyMs: number; failed: (error: unknown) => void },
): Periodic {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let working: Promise<void> = Promise.resolve();
  let stopped = false;

  function later(milliseconds: number): void {
    timer = setTimeout(() => {
      working = work()
        .catch(failed)
        .finally(() => {
          if (!stopped) later(everyMs);
        });
    }, milliseconds);
  }

  return {
    start: () => later(FIRST_MS),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await working;
    },
    get stopped() {
      return stopped;
    },
  };
}
