/** State changes outside of runs on SQLite. They are entries in the thread's log that belong to no run. */
import type { Database } from 'bun:sqlite';
import { type StateChangeRow, toChangeBatch } from '../../driver/event-rows.ts';
import type { ThreadBatch } from '../../threads/events.ts';

/** Synchronous. `insert` must be called inside a transaction. */
export interface StateChanges {
  insert(threadKey: string, checkpoint: string, at: number): void;
  readThread(threadKey: string, after: number, limit: number): ThreadBatch[];
}

export const STATE_CHANGE_TABLES = `
  CREATE TABLE state_changes (
    thread INTEGER NOT NULL REFERENCES threads (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL, checkpoint TEXT NOT NULL, created_at INTEGER NOT NULL,
    UNIQUE (thread, seq)
  );
  `;

export const CHANGES_AFTER =
  'SELECT seq, checkpoint, created_at FROM state_changes WHERE thread = CAST(?1 AS INTEGER) AND seq > ?2 ORDER BY seq LIMIT +?3';

export function stateChanges(db: Database): StateChanges {
  // Stores the number in `threads.last_seq`, so that the next batch of a run continues after it.
  const number = db.query(
    `UPDATE threads SET last_seq = 1 + max(last_seq, coalesce((SELECT max(seq) FROM events WHERE thread = threads.key), 0))
     WHERE key = CAST(? AS INTEGER)`,
  );
  const insert = db.query(
    `INSERT INTO state_changes (thread, seq, checkpoint, created_at)
     SELECT key, last_seq, ?2, ?3 FROM threads WHERE key = CAST(?1 AS INTEGER)`,
  );
  const after = db.query<StateChangeRow, [string, number, number]>(CHANGES_AFTER);

  return {
    insert(threadKey, checkpoint, at) {
      number.run(threadKey);
      insert.run(threadKey, checkpoint, at);
    },
    readThread: (threadKey, last, limit) => after.all(threadKey, last, limit).map(toChangeBatch),
  };
}
