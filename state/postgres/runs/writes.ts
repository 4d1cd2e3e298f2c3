/** The rows that a run writes during its execution: arguments of `write_v1` (see functions/write.ts). */
import type { Lease } from '../../cluster/lease.ts';

interface CheckpointInsert {
  ns: string;
  id: string;
  parent: string | null;
  run_id: string | null;
  versions: string;
  body: string;
  metadata: string;
  /** Null: those of the parent. */
  deltas: string | null;
}

export interface ValueInsert {
  ns: string;
  channel: string;
  /** The JSON text of the version. */
  version: string;
  value: string;
  elements: string | null;
}

export interface ElementInsert {
  channel: string;
  seq: number;
  value: string;
}

/**
 * A task's writes as JSON: `[index, channel, value][]`. If the task already has writes, they are appended as another line
 * (driver/checkpoints/task-writes.ts).
 */
interface TaskWritesInsert {
  ns: string;
  id: string;
  task: string;
  writes: string;
  path: string;
}

export interface EventsInsert {
  first: number;
  last: number;
  chat_first: number;
  chat_last: number;
  created_at: number;
  body: string;
}

export interface RunWrites {
  checkpoints?: CheckpointInsert[];
  values?: ValueInsert[];
  elements?: ElementInsert[];
  writes?: TaskWritesInsert[];
  events?: EventsInsert[];
  usage?: { input: number; output: number };
}

/** The owner of writes: a run with its lease, or without a lease a change of a thread's state outside of runs. */
export interface WriteUnit {
  /** May be empty if there is a lease and no rows of checkpoints. */
  threadKey: string;
  lease: Lease | undefined;
}

export type Urgency = 'soon' | 'now' | 'durable';

export interface WriteQueue {
  /**
   * Adds the rows to the unit's next statement, in the order of the calls. Resolves after the commit. `urgency`: `soon` waits
   * briefly so that other writes can share the statement; `durable` resolves when the rows are on disk. Rejects with
   * LeaseLost. After a failure, each later write of the unit rejects with the same error. If `rows` is a function, it is
   * called when the statement is created.
   */
  add(
    unit: WriteUnit,
    rows: RunWrites | (() => RunWrites),
    urgency: 'soon' | 'now' | 'durable',
  ): Promise<void>;
  /** Resolves when all earlier writes of the unit are committed; without a lease, all earlier writes of the thread. */
  settled(unit: WriteUnit): Promise<void>;
}
