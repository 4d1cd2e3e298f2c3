/** Resources that the agents of one run share: created at first use, closed at the end of the run. */

interface Closable {
  close(): Promise<void>;
}

/** Returns the resource under `key`, or creates it with `open`. */
export type Opened = <T extends Closable>(key: object, open: () => T) => T;

export function openedInRun(): { opened: Opened; close(): Promise<void> } {
  const all = new Map<object, Closable>();
  return {
    opened<T extends Closable>(key: object, open: () => T): T {
      const before = all.get(key) as T | undefined;
      if (before) return before;
      const made = open();
      all.set(key, made);
      return made;
    },
    async close() {
      await Promise.allSettled(Array.from(all.values(), (one) => one.close()));
      all.clear();
    },
  };
}
