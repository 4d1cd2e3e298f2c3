/** Starts writes in the order of their calls, even if they wait for something first. */

export interface WriteOrder {
  /** Resolves when all earlier writes have started or failed; undefined if none is waiting. */
  ahead(): Promise<void> | undefined;
  /** Calls `write` with the value of `ready` after all earlier writes have started. If `ready` rejects, only this write fails. */
  inTurn<T>(ready: Promise<T>, write: (value: T) => Promise<void>): Promise<void>;
}

export function writeOrder(): WriteOrder {
  let newest: Promise<void> | undefined;
  return {
    ahead: () => newest,
    async inTurn(ready, write) {
      const before = newest;
      const started = Promise.withResolvers<void>();
      newest = started.promise;
      let written: Promise<void> | undefined;
      try {
        const [value] = await Promise.all([ready, before]);
        written = write(value);
      } finally {
        await before;
        if (newest === started.promise) newest = undefined;
        started.resolve();
      }
      await written;
    },
  };
}
