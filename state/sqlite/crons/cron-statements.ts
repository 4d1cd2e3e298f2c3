/** Statements for crons. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { CRON_ORDERS, type CronRow, type contentColumns } from '../../driver/cron-rows.ts';
import type { CronSearch } from '../../resources/crons.ts';
import { metadataConditions } from '../metadata-conditions.ts';

type ContentColumns = ReturnType<typeof contentColumns>;

// A thread without an owner is being deleted together with its crons.
const EXISTS = `(thread IS NULL OR EXISTS (SELECT 1 FROM threads WHERE key = crons.thread AND owner <> ''))`;

export function cronStatements(db: Database) {
  return {
    insert: db.query<CronRow, ContentColumns & Record<string, string | number | null>>(
      `INSERT INTO crons (cron_id, owner, owner_name, assistant_id, thread, thread_id, schedule, timezone, enabled,
         end_time, on_run_completed, payload, metadata, next_at, created_at, updated_at)
       VALUES ($id, $owner, $name, $assistant, CAST($thread AS INTEGER), $thread_id, $schedule, $timezone, $enabled,
         $end_time, $on_run_completed, $payload, $metadata, $next_at, $at, $at) RETURNING *`,
    ),
    find: db.query<CronRow, [string, string]>(
      `SELECT * FROM crons WHERE owner = ? AND cron_id = ? AND ${EXISTS}`,
    ),
    change: db.query<unknown, ContentColumns & { owner: string; id: string; at: number }>(
      `UPDATE crons SET schedule = $schedule, timezone = $timezone, enabled = $enabled, end_time = $end_time,
         on_run_completed = $on_run_completed, payload = $payload, metadata = $metadata, next_at = $next_at,
         updated_at = $at WHERE owner = $owner AND cron_id = $id`,
    ),
    remove: db.query('DELETE FROM crons WHERE owner = ? AND cron_id = ?'),
    due: db.query<CronRow, [number, number]>(
      `SELECT * FROM crons WHERE next_at <= ? AND ${EXISTS} ORDER BY next_at LIMIT ?`,
    ),
    advance: db.query('UPDATE crons SET next_at = ? WHERE cron_id = ? AND next_at = ?'),
    next: db.query<{ at: number | null }, []>(
      `SELECT min(next_at) AS at FROM crons WHERE next_at IS NOT NULL AND ${EXISTS}`,
    ),
    insertThread: db.query('INSERT OR IGNORE INTO cron_threads (run_id, owner, thread_id) VALUES (?, ?, ?)'),
    expiredThreads: db.query<{ run_id: string; owner: string; thread_id: string }, [number]>(
      `SELECT * FROM cron_threads AS c
       WHERE NOT EXISTS (SELECT 1 FROM runs WHERE run_id = c.run_id AND finished_at IS NULL)
         AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE run_id = c.run_id AND state = 'waiting')
       LIMIT ?`,
    ),
    removeThread: db.query('DELETE FROM cron_threads WHERE run_id = ?'),
  };
}

export function cronSearch(db: Database, search: CronSearch): { rows: CronRow[]; total: number } {
  const { owner, sortBy, descending, limit, offset } = search;
  const { where, values } = conditions(search);
  const bound: SQLQueryBindings[] = [owner, ...values];
  const from = `FROM crons WHERE ${['owner = ?', EXISTS, ...where].join(' AND ')}`;
  const direction = descending ? 'DESC' : 'ASC';
  const counted = db.query<{ total: number }, SQLQueryBindings[]>(`SELECT count(*) AS total ${from}`);
  const found = db.query<CronRow, SQLQueryBindings[]>(
    `SELECT * ${from} ORDER BY ${CRON_ORDERS[sortBy]} ${direction}, seq ${direction} LIMIT ? OFFSET ?`,
  );
  return { rows: found.all(...bound, limit, offset), total: counted.get(...bound)?.total ?? 0 };
}

function conditions({ assistantId, threadId, enabled, metadata }: CronSearch) {
  const { where, values } = metadataConditions('metadata', metadata);
  const fields = { assistant_id: assistantId, thread_id: threadId, enabled };
  const bound: SQLQueryBindings[] = [...values];
  for (const [column, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    where.push(`${column} = ?`);
    bound.push(typeof value === 'boolean' ? Number(value) : value);
  }
  return { where, values: bound };
}
