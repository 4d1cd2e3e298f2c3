/** The operations on checkpoints that threads need. `thread` is the thread's key. */
import type { CheckpointKey } from '../../threads/archive.ts';
import type { Statements } from '../database/database.ts';

export interface Checkpoints {
  /** Deletes checkpoints of a thread and the values that only they use. */
  prune(tx: Statements, thread: string, ids: string[]): Promise<void>;
  /** Like `prune`, if newer checkpoints of the thread are kept. */
  pruneHistory(tx: Statements, thread: string, ids: string[]): Promise<void>;
  /** Copies the steps of delta channels that a copied checkpoint needs to its new thread. */
  copySteps(tx: Statements, from: string, checkpoint: CheckpointKey, to: string): Promise<void>;
  /** Frees the memory for a thread. */
  release(thread: string): void;
}
