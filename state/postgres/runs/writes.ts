/** What a run writes while it goes on, as rows: `write_v1` takes them (see functions/write.ts). */
import type { Lease } from '../../lease.ts';

interface CheckpointInsert {
  ns: string;
  id: string;
  parent: string | null;
  run_id: string | null;
  versions: string;
  body: string;
  metadata: string;
  /** null: those of its parent. */
  deltas: string | null;
}

export interface ValueInsert {
  ns: string;
  channel: string;
  /** As JSON writes it. */
  version: string;
  value: string;
  elements: string | null;
}

export interface ElementInsert {
  channel: string;
  seq: number;
  value: string;
}

/** A task's writes, JSON: `[index, channel, value][]`. Where it has some, these are a further line (driver/checkpoints/task-writes.ts). */
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

/** Whose writes they are. Without a lease anybody may write: changes of a state from outside of a run. */
export interface WriteUnit {
  /** May be empty where there is a lease and no rows of checkpoints. */
  threadKey: string;
  lease: Lease | undefined;
}

export type Urgency = 'soon' | 'now' | 'durable';

export interface WriteQueue {
  /**
   * Writes with the unit's next statement, in the order of the calls; what is called meanwhile shares it. Resolves with
   * the commit. `urgency`: `soon` may wait a moment for company; `durable` resolves when it is on disk. Rejects with
   * LeaseLost; after a failure each later write of the unit rejects with the same. `rows` may be a function: it is called
   * when the statement is made.
   */
  add(
    unit: WriteUnit,
    rows: RunWrites | (() => RunWrites),
    urgency: 'soon' | 'now' | 'durable',
  ): Promise<void>;
  /** Resolves when all that the unit has added is committed; without a lease, all that was added for the thread. */
  settled(unit: WriteUnit): Promise<void>;
}
