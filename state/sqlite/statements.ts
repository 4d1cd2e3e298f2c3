/** The SQL of threads, runs, messages, events and feedback, prepared once per database. */
import type { Database } from 'bun:sqlite';
import type { RunStatus } from '../runs.ts';

export interface ThreadRow {
  key: number;
  owner: string;
  thread_id: string;
  title: string;
  workflow: string;
  head: string | null;
  interrupt: string | null;
  memory: string | null;
  message_count: number;
  created_at: number;
  updated_at: number;
}

export interface RunRow {
  run_id: string;
  thread: number;
  thread_id: string;
  owner: string;
  message_id: string;
  workflow: string;
  status: RunStatus;
  request: string;
  attempt: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  input_tokens: number;
  output_tokens: number;
  agents: string | null;
  result: string | null;
  error: string | null;
}

export interface MessageRow {
  message_id: string;
  thread: number;
  thread_id: string;
  run_id: string;
  role: 'user' | 'assistant';
  content: string;
  created_at: number;
}

export interface UnfinishedRow extends RunRow {
  checkpoint: string | null;
  newest: string | null;
  deaths: number;
  deaths_newest: string | null;
}

const RUN = 'SELECT r.*, t.owner, t.thread_id FROM runs AS r JOIN threads AS t ON t.key = r.thread';

export function statements(db: Database) {
  return {
    insertThread: db.query(
      `INSERT INTO threads (owner, thread_id, title, workflow, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT DO NOTHING`,
    ),
    thread: db.query<ThreadRow, [string, string]>('SELECT * FROM threads WHERE owner = ? AND thread_id = ?'),
    threadByKey: db.query<ThreadRow, [string]>('SELECT * FROM threads WHERE key = ?'),
    advanceThread: db.query(
      `UPDATE threads SET failed = 0, head = ?, interrupt = ?, memory = ?, workflow = ?, message_count = ?, updated_at = ?
       WHERE key = ?`,
    ),
    noteFailure: db.query(
      'UPDATE threads SET failed = ?, updated_at = ?, message_count = message_count + ? WHERE key = ?',
    ),

    insertRun: db.query(
      `INSERT INTO runs (run_id, thread, owner, message_id, workflow, status, request, created_at, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    beginRun: db.query(
      `UPDATE runs SET status = 'running', started_at = ?, attempt = ?, deaths = ?, deaths_newest = ?
       WHERE run_id = ? AND finished_at IS NULL`,
    ),
    spend: db.query(
      'UPDATE runs SET input_tokens = ?, output_tokens = ? WHERE run_id = ? AND finished_at IS NULL',
    ),
    pauseRun: db.query(`UPDATE runs SET status = 'queued' WHERE run_id = ? AND finished_at IS NULL`),
    endRun: db.query(
      `UPDATE runs SET status = ?, finished_at = ?, input_tokens = ?, output_tokens = ?, agents = ?, result = ?,
         error = ? WHERE run_id = ? AND finished_at IS NULL`,
    ),
    run: db.query<RunRow, [string, string]>(`${RUN} WHERE r.run_id = ? AND t.owner = ?`),
    unfinishedRuns: db.query<UnfinishedRow, []>(
      `SELECT r.*, t.owner, t.thread_id, (
         SELECT c.id FROM checkpoints AS c WHERE c.thread = printf('%012d', r.thread) AND c.ns = '' AND c.run_id = r.run_id
         ORDER BY c.id DESC LIMIT 1) AS checkpoint, (
         SELECT max(c.id) FROM checkpoints AS c WHERE c.thread = printf('%012d', r.thread) AND c.run_id = r.run_id
         ) AS newest
       FROM runs AS r JOIN threads AS t ON t.key = r.thread
       WHERE r.finished_at IS NULL ORDER BY r.created_at, r.run_id`,
    ),
    recentRuns: db.query<RunRow, [string]>(
      `SELECT status, created_at, started_at, finished_at FROM runs
       WHERE workflow = ? AND finished_at IS NOT NULL ORDER BY created_at DESC LIMIT 100`,
    ),

    forgetKeys: db.query('DELETE FROM idempotency WHERE created_at < ?'),
    key: db.query<{ run_id: string; digest: string }, [string, string, number]>(
      'SELECT run_id, digest FROM idempotency WHERE owner = ? AND key = ? AND created_at >= ?',
    ),
    insertKey: db.query(
      'INSERT INTO idempotency (owner, key, digest, run_id, created_at) VALUES (?, ?, ?, ?, ?)',
    ),

    insertMessage: db.query(
      `INSERT INTO messages (thread, run_id, workflow, created_at, user_id, message_id, role, content, outputs,
         status, token_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    message: db.query<MessageRow, [string, string]>(
      `SELECT m.*, t.thread_id FROM messages AS m JOIN threads AS t ON t.key = m.thread
       WHERE m.message_id = ? AND t.owner = ?`,
    ),

    insertEvents: db.query(
      'INSERT OR IGNORE INTO events (run_id, first, last, body, created_at) VALUES (?, ?, ?, ?, ?)',
    ),
    eventsAfter: db.query<{ first: number; last: number; body: string }, [string, number, number]>(
      'SELECT first, last, body FROM events WHERE run_id = ? AND last > ? ORDER BY first LIMIT ?',
    ),

    putFeedback: db.query('INSERT OR REPLACE INTO feedback (message_id, body) VALUES (?, ?)'),
    feedback: db.query<{ body: string }, [string]>('SELECT body FROM feedback WHERE message_id = ?'),

    newestCheckpoint: db.query<{ id: string }, [string, string]>(
      `SELECT id FROM checkpoints WHERE thread = ? AND ns = '' AND run_id = ? ORDER BY id DESC LIMIT 1`,
    ),
    checkpointsOfRun: db.query<{ id: string }, [string, string]>(
      'SELECT id FROM checkpoints WHERE thread = ? AND run_id = ?',
    ),
    // Ids are ordered by time over all namespaces of a thread. What a fork names as its parent stays.
    oldCheckpoints: db.query<{ id: string }, [string, string | null, string, number]>(
      `SELECT id FROM checkpoints WHERE thread = ?1 AND id <> ?2 AND id <= (
         SELECT id FROM checkpoints WHERE thread = ?3 AND ns = '' ORDER BY id DESC LIMIT 1 OFFSET ?4)
       AND id NOT IN (SELECT parent_checkpoint FROM threads WHERE parent_key = CAST(?1 AS INTEGER))`,
    ),
  };
}
