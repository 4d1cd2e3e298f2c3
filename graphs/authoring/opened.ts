/** What the agents of one run have opened: made at its first use, shared by them, closed at the end of the run. */

export interface Closable {
  close(): Promise<void>;
}

/** Gives what is open under `key`, or what `open` makes. */
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
