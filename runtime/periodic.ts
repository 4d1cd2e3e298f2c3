/** Work that is done again and again, never twice at the same time. */

export interface Periodic {
  /** Begins soon, then so long after each end. */
  start(): void;
  /** Resolves when work that is under way has ended. */
  stop(): Promise<void>;
  /** Work that takes long ends where this is true. */
  readonly stopped: boolean;
}

const FIRST_MS = 500;

/** `failed` is told why it failed once; it is tried again after the same time. */
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
