/** Prepared statements for coordination. A run's rowid is its position in the queue, because rows are inserted in order. */
import type { Database } from 'bun:sqlite';
import type { ThreadRow } from '../../driver/rows.ts';
import type { StopReason } from '../../threads/coordination.ts';
import type { RunStatus } from '../../threads/runs.ts';

export interface ClaimableRow {
  run_id: string;
  thread: number;
  status: RunStatus;
  attempt: number;
  deaths: number;
  deaths_newest: string | null;
  lease: number;
  stop: StopReason | null;
  position: number;
}

interface Count {
  count: number;
}

interface AcceptedTo {
  closing: number;
  temporary: number;
}

interface RunId {
  run_id: string;
}

const CLAIMABLE =
  'SELECT r.run_id, r.thread, r.status, r.attempt, r.deaths, r.deaths_newest, r.lease, r.stop, r.rowid AS position';
const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;
/** The run has no start time, or the time has come. */
const isDue = (run: string) => `(${run}.not_before IS NULL OR ${run}.not_before <= ${NOW})`;
// The oldest unfinished run of its thread that is due, and no other one is running.
const IS_NEXT = `${isDue('r')} AND NOT EXISTS (
  SELECT 1 FROM runs AS e WHERE e.thread = r.thread AND e.finished_at IS NULL AND ${isDue('e')}
    AND (e.rowid < r.rowid OR e.status = 'running') AND e.rowid <> r.rowid)`;

// SQLite recompiles a statement with `LIMIT ?` after each binding, which takes longer than most queries; the sign prevents it.
const QUEUED = `FROM runs AS r INDEXED BY runs_queued WHERE r.finished_at IS NULL AND r.status = 'queued'`;
// Two ranges of the index, because with OR, SQLite would read all queued runs.
const QUEUED_AND_DUE = [
  `${QUEUED} AND r.not_before IS NULL`,
  `${QUEUED} AND r.not_before <= ${NOW}`,
] as const;
const firstReady = (queued: string) => `${CLAIMABLE} ${queued} AND ${IS_NEXT} ORDER BY r.rowid LIMIT +?1`;

export function coordinationStatements(db: Database) {
  return {
    thread: db.query<ThreadRow & AcceptedTo, [string, string]>(
      'SELECT * FROM threads WHERE owner = ? AND thread_id = ?',
    ),
    threadByKey: db.query<ThreadRow, [number]>('SELECT * FROM threads WHERE key = ?'),
    setTemporary: db.query('UPDATE threads SET temporary = ? WHERE key = ?'),
    keepAll: db.query<ThreadRow, [string, string, number]>(
      `UPDATE threads SET keeps_all = 1, metadata = json_patch(coalesce(metadata, '{}'), ?1),
         workflow = CASE WHEN workflow = '' THEN ?2 ELSE workflow END WHERE key = ?3 RETURNING *`,
    ),
    giveTtl: db.query(
      'UPDATE threads SET ttl = ?, ttl_strategy = ?, ttl_since = ? WHERE key = ? AND ttl IS NULL AND temporary = 0',
    ),
    nameThread: db.query('UPDATE threads SET title = ? WHERE key = ?'),
    insertThread: db.query<ThreadRow & AcceptedTo, [string, string, string, string, number]>(
      `INSERT INTO threads (owner, thread_id, title, workflow, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING *`,
    ),
    unfinished: db.query<Count, [number]>(
      `SELECT count(*) AS count FROM runs AS r WHERE thread = ? AND finished_at IS NULL AND ${isDue('r')}`,
    ),
    lastUnfinished: db.query<RunId, [number]>(
      `SELECT run_id FROM runs AS r WHERE thread = ? AND finished_at IS NULL AND ${isDue('r')} ORDER BY rowid DESC LIMIT 1`,
    ),
    queued: db.query<Count, []>(
      `SELECT ${QUEUED_AND_DUE.map((queued) => `(SELECT count(*) ${queued})`).join(' + ')} AS count`,
    ),
    scheduledOn: db.query<Count, [number]>(
      `SELECT count(*) AS count FROM runs AS r INDEXED BY runs_unfinished
       WHERE thread = ? AND finished_at IS NULL AND status = 'queued' AND not_before > ${NOW}`,
    ),
    scheduled: db.query<Count, []>(`SELECT count(*) AS count ${QUEUED} AND r.not_before > ${NOW}`),
    insertRun: db.query(
      `INSERT INTO runs (run_id, thread, owner, message_id, workflow, status, request, created_at, started_at, lease,
         not_before) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    supersede: db.query<RunId, [number, string]>(
      `UPDATE runs SET stop = 'cancel' WHERE thread = ?1 AND finished_at IS NULL AND run_id <> ?2
         AND (status = 'running' OR request ->> 'supersedes') RETURNING run_id`,
    ),
    stopOthers: db.query<RunId, [StopReason, number, string]>(
      `UPDATE runs SET stop = ?1 WHERE thread = ?2 AND finished_at IS NULL AND run_id <> ?3 RETURNING run_id`,
    ),

    forgetKeys: db.query('DELETE FROM idempotency WHERE created_at < ?'),
    key: db.query<
      { run_id: string; digest: string; thread_id: string; message_id: string },
      [string, string, number]
    >(
      `SELECT i.run_id, i.digest, t.thread_id, r.message_id FROM idempotency AS i
       JOIN runs AS r ON r.run_id = i.run_id JOIN threads AS t ON t.key = r.thread
       WHERE i.owner = ? AND i.key = ? AND i.created_at >= ?`,
    ),
    insertKey: db.query(
      'INSERT OR REPLACE INTO idempotency (owner, key, digest, run_id, created_at) VALUES (?, ?, ?, ?, ?)',
    ),

    running: db.query<RunId, []>(`SELECT run_id FROM runs WHERE finished_at IS NULL AND status = 'running'`),
    orphanedReady: db.query<ClaimableRow, [string, number]>(
      `${CLAIMABLE} FROM json_each(?) AS gone JOIN runs AS r ON r.run_id = gone.value
       WHERE r.finished_at IS NULL AND ${IS_NEXT} ORDER BY r.rowid LIMIT +?`,
    ),
    ready: db.query<ClaimableRow, [number]>(firstReady(QUEUED_AND_DUE[0])),
    readyScheduled: db.query<ClaimableRow, [number]>(firstReady(QUEUED_AND_DUE[1])),
    newest: db.query<{ checkpoint: string | null; newest: string | null }, [string, string]>(
      `SELECT max(id) FILTER (WHERE ns = '') AS checkpoint, max(id) AS newest FROM checkpoints
       WHERE thread = ? AND run_id = ?`,
    ),
    take: db.query(
      `UPDATE runs SET status = 'running', started_at = ?, attempt = ?, deaths = ?, deaths_newest = ?, lease = ?
       WHERE run_id = ?`,
    ),

    spend: db.query(
      `UPDATE runs SET input_tokens = ?, output_tokens = ?, models = ?
       WHERE run_id = ? AND lease = ? AND finished_at IS NULL`,
    ),
    release: db.query(
      `UPDATE runs SET status = 'queued' WHERE run_id = ? AND lease = ? AND finished_at IS NULL`,
    ),
    ownEnd: db.query<object, [string, number]>(
      'SELECT 1 FROM runs WHERE run_id = ? AND lease = ? AND finished_at IS NOT NULL',
    ),
    stop: db.query('UPDATE runs SET stop = ? WHERE run_id = ? AND finished_at IS NULL'),
    stopAll: db.query<RunId, [string]>(
      `UPDATE runs SET stop = 'cancel' WHERE thread = CAST(? AS INTEGER) AND finished_at IS NULL RETURNING run_id`,
    ),
    close: db.query('UPDATE threads SET closing = ? WHERE key = ?'),
    openAll: db.query('UPDATE threads SET closing = 0 WHERE closing = 1'),
  };
}
