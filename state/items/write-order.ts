/** Writes that wait for something before they begin, and still begin in the order in which they were asked for. */

export interface WriteOrder {
  /** Resolves when all that were asked for have begun, or failed before; undefined where none waits. */
  ahead(): Promise<void> | undefined;
  /** Begins `write` with what `ready` gives once all before it have begun. Where `ready` fails, it fails, and others go on. */
  inTurn<T>(ready: Promise<T>, write: (value: T) => Promise<void>): Promise<void>;
}

export function writeOrder(): WriteOrder {
  let newest: Promise<void> | undefined;
  return {
    ahead: () => newest,
    async inTurn(ready, write) {
      const before = newest;
      const begun = Promise.withResolvers<void>();
      newest = begun.promise;
      let written: Promise<void> | undefined;
      try {
        const [value] = await Promise.all([ready, before]);
        written = write(value);
      } finally {
        await before;
        if (newest === begun.promise) newest = undefined;
        begun.resolve();
      }
      await written;
    },
  };
}
