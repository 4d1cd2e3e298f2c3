/** Runs' logs on SQLite: a row per batch, found by the run's numbers and by chat's, and with the logs of a thread by its own. */
import type { Database } from 'bun:sqlite';
import { type EventBatchRow, toBatch, toThreadBatch } from '../../driver/event-rows.ts';
import type { After, EventBatch, ThreadBatch } from '../../events.ts';
import type { Lease } from '../../lease.ts';
import type { StateChanges } from './state-changes.ts';

/** All of it is synchronous: `insert` runs inside a transaction of the caller. */
export interface EventLog {
  /** False where the lease is lost, or there is no such run. The same batch again changes nothing. */
  insert(lease: Lease, batch: EventBatch, at: number): boolean;
  read(runId: string, after: After, limit: number): EventBatch[];
  readThread(threadKey: string, after: number, limit: number): ThreadBatch[];
}

// Each of the three is one search in an index. Batches do not overlap: what is later than an entry begins with the batch
// that begins last before it, or after it. Chat's numbers are never above the entries' own, so its next event is there too.
const FROM = `SELECT * FROM events WHERE run_id = ?1 AND first >= coalesce(
  (SELECT max(first) FROM events WHERE run_id = ?1 AND first <= ?2), 0)`;
export const AFTER_ENTRY = `${FROM} AND last > ?2 ORDER BY first LIMIT ?3`;
export const AFTER_CHAT = `${FROM} AND chat_last > ?2 ORDER BY first LIMIT ?3`;
export const AFTER_SEQ =
  'SELECT * FROM events WHERE thread = CAST(?1 AS INTEGER) AND seq > ?2 ORDER BY seq LIMIT ?3';

export function eventLog(db: Database, changes: Pick<StateChanges, 'readThread'>): EventLog {
  // The thread's row has the last number that was deleted with its batch, or given to a change of the state.
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
