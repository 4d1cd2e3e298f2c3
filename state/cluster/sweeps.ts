/** Sweeps: periodic work that only one of the servers on a database should do at a time. */

export interface Sweeps {
  /**
   * Does the work. Resolves immediately with undefined if a process is already doing work of this name. `lost` aborts when
   * another process may have started the same work; then `work` must stop.
   */
  runExclusively<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | undefined>;
}

/** For a database that no other process uses. */
export const localSweeps: Sweeps = { runExclusively: (_name, work) => work(new AbortController().signal) };
