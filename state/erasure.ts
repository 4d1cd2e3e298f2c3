/** What a caller has in the state: counted, and deleted but for the threads, which `Removal` deletes one by one. */

export interface Erasure {
  count(owner: string): Promise<OwnedCounts>;
  /** At most `limit` of the caller's threads that were made at `time` or before, those of one run too. */
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
