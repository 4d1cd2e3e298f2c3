/** Checkpoints as a run writes them. Readers take `State.checkpointer`, whose `thread_id` is the thread's key. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { NewEntry } from './events.ts';
import type { Lease } from './lease.ts';

/** What a run's saver knows, so that its graph sees the public `thread_id` and nothing else. */
export interface SavedRun {
  /** Under which it writes; a write without it throws LeaseLost. */
  lease: Lease;
  /** Is given the log's entry of each checkpoint, once that can be read. */
  emit(entry: NewEntry): void;
  threadKey: string;
  threadId: string;
  /** What is kept with each checkpoint beside LangGraph's own metadata. */
  metadata?: Record<string, unknown> | undefined;
  /** The checkpoint from which the root graph starts where none is named; null: from nothing. */
  head: string | null;
}

export interface RunSaver extends BaseCheckpointSaver {
  /** The root graph's newest checkpoint of this run; undefined where it has made none in this process. */
  newest(): string | undefined;
  /** Throws where a checkpoint of the run could not be written: it must not succeed over the hole. */
  assertWritten(): void;
}
