/** Runs' logs on SQLite: a row per batch, found by the run's numbers, by chat's, and by the thread's. */
import type { Database } from 'bun:sqlite';
import type { After, EventBatch, LogEntry, ThreadBatch } from '../events.ts';

interface BatchRow {
  run_id: string;
  first: number;
  last: number;
  chat_first: number;
  chat_last: number;
  seq: number;
  body: string;
}

/** All of it is synchronous: `insert` runs inside a transaction of the caller. */
export interface EventLog {
  /** The same batch again changes nothing. Throws where there is no such run. */
  insert(runId: string, batch: EventBatch, at: number): void;
  read(runId: string, after: After, limit: number): EventBatch[];
  readThread(threadKey: string, after: number, limit: number): ThreadBatch[];
}

// Batches do not overlap: what counts begins with the batch that begins last before the entry, or after it. Each of the
// three is one search in an index.
export const AFTER_ENTRY = `SELECT * FROM events WHERE run_id = ?1 AND last > ?2 AND first >= coalesce(
  (SELECT max(first) FROM events WHERE run_id = ?1 AND first <= ?2), 0) ORDER BY first LIMIT ?3`;
export const AFTER_CHAT =
  'SELECT * FROM events WHERE run_id = ?1 AND chat_last > ?2 ORDER BY chat_last, first LIMIT ?3';
export const AFTER_SEQ = `SELECT * FROM events WHERE thread = CAST(?1 AS INTEGER) AND seq + last - first > ?2
  AND seq >= coalesce((SELECT max(seq) FROM events WHERE thread = CAST(?1 AS INTEGER) AND seq <= ?2), 0)
  ORDER BY seq LIMIT ?3`;

export function eventLog(db: Database): EventLog {
  const threadOf = db.query<{ key: number; last_seq: number }, [string]>(
    'SELECT t.key, t.last_seq FROM runs AS r JOIN threads AS t ON t.key = r.thread WHERE r.run_id = ?',
  );
  const insert = db.query(
    `INSERT INTO events (run_id, first, last, chat_first, chat_last, thread, seq, body, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, first) DO NOTHING`,
  );
  const count = db.query('UPDATE threads SET last_seq = ? WHERE key = ?');
  const afterEntry = db.query<BatchRow, [string, number, number]>(AFTER_ENTRY);
  const afterChat = db.query<BatchRow, [string, number, number]>(AFTER_CHAT);
  const afterSeq = db.query<BatchRow, [string, number, number]>(AFTER_SEQ);

  return {
    insert(runId, { first, last, chat, entries }, at) {
      const thread = threadOf.get(runId);
      if (!thread) throw new Error(`run ${runId} is not stored`);
      const { key, last_seq } = thread;
      const body = JSON.stringify(entries);
      const { changes } = insert.run(
        ...[runId, first, last, chat.first, chat.last, key, last_seq + 1, body, at],
      );
      if (changes > 0) count.run(last_seq + 1 + last - first, key);
    },
    read(runId, after, limit) {
      const rows =
        'chat' in after ? afterChat.all(runId, after.chat, limit) : afterEntry.all(runId, after.entry, limit);
      return rows.map(toBatch);
    },
    readThread: (threadKey, after, limit) =>
      afterSeq
        .all(threadKey, after, limit)
        .map((row) => ({ ...toBatch(row), runId: row.run_id, seq: row.seq })),
  };
}

function toBatch({ first, last, chat_first, chat_last, body }: BatchRow): EventBatch {
  return { first, last, chat: { first: chat_first, last: chat_last }, entries: readable(body) };
}

/** A batch that cannot be read harms nothing but itself. */
function readable(body: string): LogEntry[] {
  try {
    return JSON.parse(body);
  } catch {
    return [];
  }
}
