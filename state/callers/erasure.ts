/** Counts and deletes all data of a caller, except threads, which `Removal` deletes one by one. */

export interface Erasure {
  count(owner: string): Promise<OwnedCounts>;
  /** At most `limit` ids of the caller's threads created at `time` or earlier, including threads of single runs. */
  threads(owner: string, time: number, limit: number): Promise<string[]>;
  /** Deletes the caller's crons, assistants, items, usage and idempotency keys, but not the authors of documents. */
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
