/** What threads need of the checkpoints that lie with them. Names of threads are their keys. */
import type { CheckpointKey } from '../../archive.ts';
import type { Statements } from '../database/database.ts';

export interface Checkpoints {
  /** Deletes the named checkpoints of a thread, and what only they held. */
  prune(tx: Statements, thread: string, ids: string[]): Promise<void>;
  /** The same for checkpoints of a thread whose newer ones stay. */
  pruneHistory(tx: Statements, thread: string, ids: string[]): Promise<void>;
  /** What a copy of a checkpoint needs beside its own values, in another thread. */
  copySteps(tx: Statements, from: string, place: CheckpointKey, to: string): Promise<void>;
  /** Forgets what was kept in memory of a thread. */
  release(thread: string): void;
}
