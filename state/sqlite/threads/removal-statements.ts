/** Prepared statements for deletion and expiry. */
import type { Database } from 'bun:sqlite';
import type { PruneStrategy } from '../../threads/threads.ts';

export interface EventRow {
  row: number;
  created_at: number;
  finished_at: number | null;
}

export interface ExpiredRow {
  key: number;
  owner: string;
  thread_id: string;
  ttl_strategy: PruneStrategy;
  updated_at: number;
}

/** A thread with an empty owner is hidden, because no caller is the empty owner. */
export function removalStatements(db: Database) {
  const messages = db.query(
    'DELETE FROM messages WHERE seq IN (SELECT seq FROM messages WHERE thread = ? LIMIT ?)',
  );
  const events = db.query(
    `DELETE FROM events WHERE rowid IN (SELECT e.rowid FROM events AS e WHERE e.run_id IN (
       SELECT run_id FROM runs WHERE thread = ?1 ORDER BY rowid LIMIT ?2) LIMIT ?2)`,
  );
  const runs = db.query(
    'DELETE FROM runs WHERE rowid IN (SELECT rowid FROM runs WHERE thread = ? ORDER BY rowid LIMIT ?)',
  );
  const checkpoints = db.query(
    'DELETE FROM checkpoints WHERE rowid IN (SELECT rowid FROM checkpoints WHERE thread = ? LIMIT ?)',
  );
  const values = db.query(
    'DELETE FROM checkpoint_values WHERE rowid IN (SELECT rowid FROM checkpoint_values WHERE thread = ? LIMIT ?)',
  );
  const elements = db.query(
    'DELETE FROM checkpoint_elements WHERE rowid IN (SELECT rowid FROM checkpoint_elements WHERE thread = ? LIMIT ?)',
  );
  const deltas = db.query(
    'DELETE FROM checkpoint_deltas WHERE rowid IN (SELECT rowid FROM checkpoint_deltas WHERE thread = ? LIMIT ?)',
  );
  const writes = db.query(
    `DELETE FROM checkpoint_writes WHERE thread = ?1 AND (ns, id, task) IN (
       SELECT ns, id, task FROM checkpoint_writes WHERE thread = ?1 LIMIT ?2)`,
  );
  const changes = db.query(
    'DELETE FROM state_changes WHERE rowid IN (SELECT rowid FROM state_changes WHERE thread = ? LIMIT ?)',
  );
  return {
    hidden: db.query<{ key: number }, []>(`SELECT key FROM threads WHERE owner = ''`),
    unfinished: db.query<object, [string]>(
      'SELECT 1 FROM runs WHERE thread = ? AND finished_at IS NULL LIMIT 1',
    ),
    hide: db.query(
      `UPDATE threads SET owner = '', thread_id = key, title = '', metadata = NULL, interrupt = NULL, memory = NULL
       WHERE key = ?`,
    ),
    expire: db.query(
      `UPDATE threads SET owner = '', thread_id = key, title = '', metadata = NULL, interrupt = NULL, memory = NULL
       WHERE key = ?1 AND updated_at < ?2
         AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = threads.key AND finished_at IS NULL)`,
    ),
    run: db.query('DELETE FROM runs WHERE run_id = ? AND finished_at IS NOT NULL'),
    keysOf: db.query('DELETE FROM idempotency WHERE run_id IN (SELECT run_id FROM runs WHERE thread = ?)'),
    thread: db.query('DELETE FROM threads WHERE key = ?'),
    /** Deletes referring rows before the rows to which they refer. Feedback is deleted with its message. */
    slices: (key: string) => [
      (limit: number) => messages.run(key, limit).changes,
      // Delete events before their run, because the cascade for a run with many events would take long.
      (limit: number) => events.run(key, limit).changes || runs.run(key, limit).changes,
      ...[changes, writes, values, elements, deltas, checkpoints].map(
        (statement) => (limit: number) => statement.run(key, limit).changes,
      ),
    ],

    // A loose index scan: one index lookup per owner, independent of the number of threads.
    owners: db.query<{ owner: string }, []>(
      `WITH RECURSIVE names (owner) AS (
         SELECT min(owner) FROM threads WHERE owner > ''
         UNION ALL SELECT (SELECT min(owner) FROM threads WHERE owner > names.owner) FROM names
         WHERE names.owner IS NOT NULL)
       SELECT owner FROM names WHERE owner IS NOT NULL`,
    ),
    temporary: db.query<{ owner: string; thread_id: string }, [number, number]>(
      `SELECT owner, thread_id FROM threads INDEXED BY threads_temporary
       WHERE temporary = 1 AND updated_at < ? AND owner <> ''
         AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = threads.key AND finished_at IS NULL)
         AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE thread = threads.key AND state = 'waiting')
       ORDER BY updated_at LIMIT ?`,
    ),
    expired: db.query<ExpiredRow, [number, number]>(
      `SELECT key, owner, thread_id, ttl_strategy, updated_at FROM threads INDEXED BY threads_expiring
       WHERE ttl IS NOT NULL AND (ttl_strategy = 'delete' OR pruned_at IS NOT updated_at)
         AND max(updated_at, ttl_since) + ttl < ? AND owner <> ''
         AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = threads.key AND finished_at IS NULL)
       ORDER BY max(updated_at, ttl_since) + ttl LIMIT ?`,
    ),
    pruned: db.query('UPDATE threads SET pruned_at = updated_at WHERE key = CAST(? AS INTEGER)'),
    idle: db.query<{ owner: string; thread_id: string }, [string, number, number]>(
      `SELECT owner, thread_id FROM threads INDEXED BY threads_by_activity
       WHERE owner = ? AND updated_at < ?
         AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = threads.key AND finished_at IS NULL)
       ORDER BY updated_at LIMIT ?`,
    ),
    countIdle: db.query<{ idle: number; threads: number }, [number]>(
      `SELECT count(*) AS threads, count(*) FILTER (WHERE updated_at < ?
         AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = threads.key AND finished_at IS NULL)) AS idle
       FROM threads WHERE owner > ''`,
    ),
    // Events are stored in order of time.
    nextEvents: db.query<EventRow, [number, number]>(
      `SELECT e.rowid AS row, e.created_at, r.finished_at FROM events AS e CROSS JOIN runs AS r ON r.run_id = e.run_id
       WHERE e.rowid > ? ORDER BY e.rowid LIMIT ?`,
    ),
    // Keeps the last number of a thread's log, so that numbering continues after deleted batches.
    keepNumbers: db.query(
      `UPDATE threads SET last_seq = max(last_seq, numbered.seq) FROM (
         SELECT thread, max(seq) AS seq FROM events WHERE rowid IN (SELECT value FROM json_each(?))
         GROUP BY thread) AS numbered
       WHERE key = numbered.thread`,
    ),
    keepNumbersOf: db.query(
      `UPDATE threads SET last_seq = max(last_seq, numbered.seq) FROM (
         SELECT thread, max(seq) AS seq FROM events WHERE run_id = ? GROUP BY thread) AS numbered
       WHERE key = numbered.thread`,
    ),
    deleteEvents: db.query('DELETE FROM events WHERE rowid IN (SELECT value FROM json_each(?))'),
    // State changes are stored in order of time, too.
    anyOldChange: db.query<object, [number]>(
      'SELECT 1 FROM (SELECT created_at FROM state_changes ORDER BY rowid LIMIT 1) WHERE created_at < ?',
    ),
    oldChanges: db.query(
      `DELETE FROM state_changes WHERE rowid IN (SELECT rowid FROM state_changes ORDER BY rowid LIMIT ?2)
         AND created_at < ?1`,
    ),
    oldKeys: db.query(
      `DELETE FROM idempotency WHERE (owner, key) IN (
         SELECT owner, key FROM idempotency WHERE created_at < ? LIMIT ?)`,
    ),
    expiredItems: db.query(
      'DELETE FROM items WHERE seq IN (SELECT seq FROM items WHERE expires_at < ? LIMIT ?)',
    ),
  };
}
