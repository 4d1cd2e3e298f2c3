/** Sweeps: periodic work that only one of the servers on a database should do at a time. */

export interface Sweeps {
  /**
   * Does the work, unless a process is already doing work of this name; then it immediately resolves with undefined. `lost`
   * aborts when another process may have started the work, which must stop then.
   */
  runExclusively<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | undefined>;
}

/** For a database that no other process uses. */
export const localSweeps: Sweeps = { runExclusively: (_name, work) => work(new AbortController().signal) };
