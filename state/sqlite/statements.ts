/** Prepared statements for threads, runs and messages. */
import type { Database } from 'bun:sqlite';
import type { MessageRow, RunRow, ThreadRow, UsageColumns } from '../driver/rows.ts';

const RUN = 'SELECT r.*, t.owner, t.thread_id FROM runs AS r JOIN threads AS t ON t.key = r.thread';

const IS_FREE = 'NOT EXISTS (SELECT 1 FROM runs WHERE thread = threads.key AND finished_at IS NULL)';

export function statements(db: Database) {
  return {
    thread: db.query<ThreadRow, [string, string]>('SELECT * FROM threads WHERE owner = ? AND thread_id = ?'),
    threadByKey: db.query<ThreadRow, [string]>('SELECT * FROM threads WHERE key = ?'),
    advanceThread: db.query(
      `UPDATE threads SET failed = 0, head = ?, interrupt = ?, memory = ?, workflow = ?, message_count = ?, updated_at = ?
       WHERE key = ?`,
    ),
    keepProgress: db.query(
      `UPDATE threads SET failed = ?, head = ?, interrupt = ?, memory = ?, workflow = ?, updated_at = ?
       WHERE key = ?`,
    ),
    moveHead: db.query(
      `UPDATE threads SET head = ?1, interrupt = ?6, failed = 0, keeps_all = 1, memory = ?3, workflow = ?2,
         updated_at = ?4 WHERE key = ?5 AND ${IS_FREE}`,
    ),
    keepHead: db.query(`UPDATE threads SET keeps_all = 1, updated_at = ? WHERE key = ? AND ${IS_FREE}`),
    newestRun: db.query<{ run_id: string }, [string]>(
      'SELECT run_id FROM runs WHERE thread = CAST(? AS INTEGER) ORDER BY rowid DESC LIMIT 1',
    ),
    deleteRun: db.query('DELETE FROM runs WHERE run_id = ?'),
    noteFailure: db.query(
      'UPDATE threads SET failed = ?, updated_at = ?, message_count = message_count + ? WHERE key = ?',
    ),

    endRun: db.query(
      `UPDATE runs SET status = ?, finished_at = ?, input_tokens = ?, output_tokens = ?, models = ?, agents = ?, result = ?,
         error = ? WHERE run_id = ? AND lease = ? AND finished_at IS NULL`,
    ),
    run: db.query<RunRow, [string, string]>(`${RUN} WHERE r.run_id = ? AND t.owner = ?`),
    runOwner: db.query<{ owner: string }, [string]>(
      `SELECT t.owner FROM runs AS r JOIN threads AS t ON t.key = r.thread WHERE r.run_id = ? AND t.owner <> ''`,
    ),
    unfinishedRuns: db.query<RunRow, []>(`${RUN} WHERE r.finished_at IS NULL ORDER BY r.rowid`),
    isUnfinished: db.query<object, [string]>('SELECT 1 FROM runs WHERE run_id = ? AND finished_at IS NULL'),
    answering: db.query<{ run_id: string }, [string, string]>(
      `SELECT run_id FROM runs WHERE thread = CAST(? AS INTEGER) AND finished_at IS NULL
         AND request -> 'resume' ->> 'runId' = ?`,
    ),
    breakRun: db.query(
      `UPDATE runs SET status = 'failed', finished_at = ?, error = ? WHERE run_id = ? AND finished_at IS NULL`,
    ),
    usages: db.query<UsageColumns, [string]>(
      'SELECT input_tokens, output_tokens, models FROM runs WHERE thread = CAST(? AS INTEGER)',
    ),
    recentRuns: db.query<RunRow, [string]>(
      `SELECT status, created_at, started_at, finished_at FROM runs
       WHERE workflow = ? AND finished_at IS NOT NULL ORDER BY created_at DESC LIMIT 100`,
    ),

    insertMessage: db.query(
      `INSERT INTO messages (thread, run_id, workflow, created_at, user_id, message_id, role, content, outputs,
         status, token_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    messageOwner: db.query<{ owner: string }, [string]>(
      `SELECT t.owner FROM messages AS m JOIN threads AS t ON t.key = m.thread
       WHERE m.message_id = ? AND t.owner <> ''`,
    ),
    message: db.query<MessageRow, [string, string]>(
      `SELECT m.*, t.thread_id FROM messages AS m JOIN threads AS t ON t.key = m.thread
       WHERE m.message_id = ? AND t.owner = ?`,
    ),

    newestCheckpoint: db.query<{ id: string }, [string, string]>(
      `SELECT id FROM checkpoints WHERE thread = ? AND ns = '' AND run_id = ? ORDER BY id DESC LIMIT 1`,
    ),
    checkpointsOfRun: db.query<{ id: string }, [string, string]>(
      'SELECT id FROM checkpoints WHERE thread = ? AND run_id = ?',
    ),
    // Ids are ordered by time across the namespaces of a thread. Keeps parents of forks.
    oldCheckpoints: db.query<{ id: string }, [string, string | null, string, number]>(
      `SELECT id FROM checkpoints WHERE thread = ?1 AND id <> ?2 AND id <= (
         SELECT id FROM checkpoints WHERE thread = ?3 AND ns = '' ORDER BY id DESC LIMIT 1 OFFSET ?4)
       AND id NOT IN (SELECT parent_checkpoint FROM threads WHERE parent_key = CAST(?1 AS INTEGER))`,
    ),
  };
}
