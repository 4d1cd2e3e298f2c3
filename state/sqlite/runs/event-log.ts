/** Logs of runs on SQLite: a row per batch, indexed by numbers of the run, of chat and of the thread. */
import type { Database } from 'bun:sqlite';
import type { Lease } from '../../cluster/lease.ts';
import { type EventBatchRow, toBatch, toThreadBatch } from '../../driver/event-rows.ts';
import type { After, EventBatch, ThreadBatch } from '../../threads/events.ts';
import type { StateChanges } from './state-changes.ts';

/** Synchronous. `insert` must be called inside a transaction. */
export interface EventLog {
  /** False if the lease is lost or the run does not exist. Inserting a batch again has no effect. */
  insert(lease: Lease, batch: EventBatch, at: number): boolean;
  read(runId: string, after: After, limit: number): EventBatch[];
  readThread(threadKey: string, after: number, limit: number): ThreadBatch[];
}

// Each of the three queries is one index lookup. Batches don't overlap, so the entries after a number start in the last batch
// that starts at or before it, or in a later one. A chat number is never greater than the number of its entry, so the same
// bound holds for chat events. `LIMIT +?`, because SQLite recompiles a statement with `LIMIT ?` after each binding.
const FROM = `SELECT * FROM events WHERE run_id = ?1 AND first >= coalesce(
  (SELECT max(first) FROM events WHERE run_id = ?1 AND first <= ?2), 0)`;
export const AFTER_ENTRY = `${FROM} AND last > ?2 ORDER BY first LIMIT +?3`;
export const AFTER_CHAT = `${FROM} AND chat_last > ?2 ORDER BY first LIMIT +?3`;
export const AFTER_SEQ =
  'SELECT * FROM events WHERE thread = CAST(?1 AS INTEGER) AND seq > ?2 ORDER BY seq LIMIT +?3';

export function eventLog(db: Database, changes: Pick<StateChanges, 'readThread'>): EventLog {
  // `threads.last_seq` is the last number of a deleted batch or of a state change.
  const insert = db.query(
    `INSERT INTO events (run_id, first, last, chat_first, chat_last, body, created_at, thread, seq)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, r.thread, ?3 - ?2 + 1 + max(
       coalesce((SELECT max(seq) FROM events WHERE thread = r.thread), 0),
       (SELECT last_seq FROM threads WHERE key = r.thread))
     FROM runs AS r WHERE r.run_id = ?1 AND r.lease = ?8 ON CONFLICT (run_id, first) DO NOTHING`,
  );
  const run = db.query('SELECT 1 FROM runs WHERE run_id = ? AND lease = ?');
  const afterEntry = db.query<EventBatchRow, [string, number, number]>(AFTER_ENTRY);
  const afterChat = db.query<EventBatchRow, [string, number, number]>(AFTER_CHAT);
  const afterSeq = db.query<EventBatchRow, [string, number, number]>(AFTER_SEQ);

  return {
    insert({ runId, number }, { first, last, chat, entries }, at) {
      const body = JSON.stringify(entries);
      const { changes } = insert.run(runId, first, last, chat.first, chat.last, body, at, number);
      return changes > 0 || run.get(runId, number) !== null;
    },
    read(runId, after, limit) {
      const rows =
        'chat' in after ? afterChat.all(runId, after.chat, limit) : afterEntry.all(runId, after.entry, limit);
      return rows.map(toBatch);
    },
    readThread(threadKey, after, limit) {
      const ofRuns = afterSeq.all(threadKey, after, limit).map(toThreadBatch);
      const outside = changes.readThread(threadKey, after, limit);
      return [...ofRuns, ...outside].sort((a, b) => a.seq - b.seq).slice(0, limit);
    },
  };
}
