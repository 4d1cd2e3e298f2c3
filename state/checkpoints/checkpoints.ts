/** The checkpointer of a run. Readers use `State.checkpointer`, whose `thread_id` is the thread's key. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Lease } from '../cluster/lease.ts';
import type { NewEntry } from '../threads/events.ts';

/** The context of a run's saver, so that its graph only sees the public `thread_id`. */
export interface SavedRun {
  /** The lease it writes under; a write without the lease throws LeaseLost. */
  lease: Lease;
  /** Called with the log entry of each checkpoint, once it is readable. */
  emit(entry: NewEntry): void;
  threadKey: string;
  threadId: string;
  /** Stored with each checkpoint in addition to LangGraph's metadata. */
  metadata?: Record<string, unknown> | undefined;
  /** The checkpoint from which the root graph starts by default; null: an empty state. */
  head: string | null;
}

export interface RunSaver extends BaseCheckpointSaver {
  /** The root graph's newest checkpoint that this saver has written; undefined if it has written none. */
  newest(): string | undefined;
  /** Throws if a checkpoint of the run could not be written, because the run must not succeed with a gap. */
  assertWritten(): void;
}
