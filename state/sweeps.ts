/** Sweeps: work that all servers of a database would do, and one at a time should. */

export interface Sweeps {
  /**
   * Does the work, unless a process is at one of this name: then it resolves with undefined at once. `lost` aborts when
   * another process may have begun: the work must stop.
   */
  alone<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | undefined>;
}

/** Where no other process has the database. */
export const ownSweeps: Sweeps = { alone: (_name, work) => work(new AbortController().signal) };
