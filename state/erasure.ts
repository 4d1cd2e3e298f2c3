/** A caller's data in the state: counting and deleting it, except for threads, which `Removal` deletes one by one. */

export interface Erasure {
  count(owner: string): Promise<OwnedCounts>;
  /** At most `limit` of the caller's threads created at `time` or before, including those of one run. */
  threads(owner: string, time: number, limit: number): Promise<string[]>;
  /** Deletes the caller's crons, assistants, items and idempotency keys. The authors of documents stay. */
  outsideThreads(owner: string): Promise<void>;
}

export interface OwnedCounts {
  threads: number;
  runs: number;
  messages: number;
  feedback: number;
  items: number;
  assistants: number;
  crons: number;
}
