/** The savers of a driver on an empty database, for the suites of `tests/contracts/checkpoints/`. */

import type { RunSaver, SavedRun } from '../../../state/checkpoints/checkpoints.ts';
import { LeasedSaver, type ThreadSaver } from '../../../state/driver/checkpoints/run-saver.ts';
import type { CheckpointArchive } from '../../../state/threads/archive.ts';

export interface OpenedSavers {
  /** For readers, and for changes outside of runs. */
  saver: ThreadSaver;
  /** A saver for a new run of the thread, with the thread's key. */
  writer(thread: string, emit?: SavedRun['emit']): Promise<ThreadSaver>;
  /** The saver that the graph of a new run gets. */
  saverOf(run: Pick<SavedRun, 'threadKey' | 'threadId' | 'head'>): Promise<RunSaver>;
  archive: CheckpointArchive;
  prune(thread: string, ids: string[]): Promise<void>;
  pruneHistory(thread: string, ids: string[]): Promise<void>;
  settle(thread: string): Promise<void>;
  copySteps(from: string, id: string, to: string): Promise<void>;
  /** The value of an expression over the committed rows of a table. */
  committed(table: string, expression: string): Promise<number>;
  /** Resolves when no writes are queued. */
  written(): Promise<void>;
  /** Runs a statement on a table with its qualified name. */
  change(table: string, text: (table: string) => string): Promise<void>;
  /** The savers of another process on the same database. */
  reopen(): Promise<OpenedSavers>;
  close(): Promise<void>;
}

/** The number of rows of a table after all queued writes. */
export async function rowsOf(savers: OpenedSavers, table: string): Promise<number> {
  await savers.written();
  return savers.committed(table, 'count(*)');
}

export function leased(saver: ThreadSaver, run: Pick<SavedRun, 'threadKey' | 'threadId' | 'head'>): RunSaver {
  return new LeasedSaver(saver, { ...run, lease: { runId: 'r', number: 1 }, emit: () => {} });
}
