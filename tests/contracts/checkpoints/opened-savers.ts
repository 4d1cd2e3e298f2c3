/** The savers of a driver on an empty database of their own, as the suites of `tests/contracts/checkpoints/` need them. */
import type { CheckpointArchive } from '../../../state/archive.ts';
import type { RunSaver, SavedRun } from '../../../state/checkpoints.ts';
import { LeasedSaver, type ThreadSaver } from '../../../state/driver/checkpoints/run-saver.ts';

export interface OpenedSavers {
  /** For readers, and for changes from outside of a run. */
  saver: ThreadSaver;
  /** A saver of a new run of the thread, by the thread's key. */
  writer(thread: string, emit?: SavedRun['emit']): Promise<ThreadSaver>;
  /** The same as its graph has it. */
  saverOf(run: Pick<SavedRun, 'threadKey' | 'threadId' | 'head'>): Promise<RunSaver>;
  archive: CheckpointArchive;
  prune(thread: string, ids: string[]): Promise<void>;
  pruneHistory(thread: string, ids: string[]): Promise<void>;
  settle(thread: string): Promise<void>;
  copySteps(from: string, id: string, to: string): Promise<void>;
  /** What an expression gives over a table as it is committed. */
  committed(table: string, expression: string): Promise<number>;
  /** Resolves when nothing is queued. */
  written(): Promise<void>;
  /** A statement on a table, by its full name. */
  change(table: string, text: (table: string) => string): Promise<void>;
  /** Another process on the same database. */
  reopen(): Promise<OpenedSavers>;
  close(): Promise<void>;
}

/** How many rows a table has once all that is queued is written. */
export async function rowsOf(savers: OpenedSavers, table: string): Promise<number> {
  await savers.written();
  return savers.committed(table, 'count(*)');
}

export function leased(saver: ThreadSaver, run: Pick<SavedRun, 'threadKey' | 'threadId' | 'head'>): RunSaver {
  return new LeasedSaver(saver, { ...run, lease: { runId: 'r', number: 1 }, emit: () => {} });
}
