/** Statements for crons. */

// A thread without an owner is being deleted together with its crons.
export const EXISTS = `(c.thread IS NULL OR EXISTS (SELECT FROM skein.threads WHERE key = c.thread AND owner <> ''))`;

export const INSERT = `INSERT INTO skein.crons (cron_id, owner, owner_name, assistant_id, thread, thread_id,
    created_at, updated_at, schedule, timezone, enabled, end_time, on_run_completed, payload, metadata, next_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING *`;

export const FIND = `SELECT * FROM skein.crons AS c WHERE owner = $1 AND cron_id = $2 AND ${EXISTS}`;

export const CHANGE = `UPDATE skein.crons SET updated_at = $3, held_until = 0, held_by = NULL, schedule = $4, timezone = $5, enabled = $6,
    end_time = $7, on_run_completed = $8, payload = $9, metadata = $10, next_at = $11
  WHERE owner = $1 AND cron_id = $2`;

export const TAKE = `UPDATE skein.crons AS taken SET held_until = $2, held_by = $4
  FROM (SELECT seq FROM skein.crons AS c WHERE next_at <= $1 AND held_until <= $1 AND ${EXISTS}
    ORDER BY next_at, seq LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED) AS due
  WHERE taken.seq = due.seq RETURNING taken.*`;

/** Changes a row if the cron was still due at that time. Records the thread to delete in any case: the run has started. */
export const ADVANCE = `WITH recorded AS (
    INSERT INTO skein.cron_threads (run_id, owner, thread_id)
    SELECT $4, $5, $6 WHERE $4::text IS NOT NULL ON CONFLICT (run_id) DO NOTHING)
  UPDATE skein.crons SET next_at = $3, held_until = 0, held_by = NULL WHERE cron_id = $1 AND next_at = $2`;

// Few crons are held, so each subquery is a short index scan.
export const NEXT = `SELECT least(
  (SELECT next_at FROM skein.crons AS c WHERE next_at IS NOT NULL AND held_until <= next_at AND ${EXISTS}
    ORDER BY next_at LIMIT 1),
  (SELECT min(held_until) FROM skein.crons AS c
    WHERE held_until > 0 AND next_at IS NOT NULL AND held_until > next_at AND ${EXISTS})) AS at`;

export const TAKE_LEFT = `UPDATE skein.cron_threads AS taken SET held_until = $2, held_by = $4
  FROM (SELECT run_id FROM skein.cron_threads AS c WHERE held_until <= $1
      AND NOT EXISTS (SELECT FROM skein.runs WHERE run_id = c.run_id AND finished_at IS NULL)
      AND NOT EXISTS (SELECT FROM skein.webhook_deliveries WHERE run_id = c.run_id AND state = 'waiting')
    LIMIT $3 FOR UPDATE SKIP LOCKED) AS over
  WHERE taken.run_id = over.run_id RETURNING taken.run_id, taken.owner, taken.thread_id`;
