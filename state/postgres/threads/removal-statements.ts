/** Statements for deletion and expiry. A thread with an empty owner is hidden, because no caller is the empty owner. */
import type { PruneStrategy } from '../../threads/threads.ts';

export interface ExpiredRow {
  key: number;
  owner: string;
  thread_id: string;
  ttl_strategy: PruneStrategy;
  updated_at: number;
}

/** The tables of a thread: referring rows come before the rows to which they refer. Feedback is deleted with its message. */
export const TABLES = [
  // Events before runs, because the cascade for a run with many events would take long.
  ...['messages', 'events', 'runs'].map((table) => ({ table, isByKey: true })),
  ...['writes', 'values', 'elements', 'deltas'].map((part) => ({
    table: `checkpoint_${part}`,
    isByKey: false,
  })),
  { table: 'checkpoints', isByKey: false },
];

/** Deletes at most `limit` rows that match a condition. Skips locked rows. */
export function deleteSome(table: string, condition: string, limit: string | number): string {
  return `DELETE FROM skein.${table} WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM skein.${table} WHERE ${condition} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
}

export const HIDE = `
  WITH hidden AS (
    UPDATE skein.threads SET owner = '', thread_id = key::text, title = '', metadata = NULL, interrupt = NULL,
      interrupt_writes = NULL, memory = NULL WHERE key = $1)
  DELETE FROM skein.idempotency WHERE run_id IN (SELECT run_id FROM skein.runs WHERE thread = $1)`;

/** Takes a hidden thread, or a draft of a fork that is older than ten minutes, which is then marked as discarded. */
export const TAKE_LEFTOVER = `
  UPDATE skein.threads SET thread_id = key::text WHERE key = (
    SELECT key FROM skein.threads
    WHERE owner = '' AND (thread_id = key::text OR created_at < skein.now_ms() - 600000)
    LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING key`;

const NO_RUN = 'NOT EXISTS (SELECT FROM skein.runs AS r WHERE r.thread = t.key AND r.finished_at IS NULL)';
const FOUND = 't.key, t.owner, t.thread_id, t.ttl_strategy, t.updated_at FROM skein.threads AS t';

export const IDLE = `SELECT ${FOUND} WHERE t.updated_at < $1 AND t.owner <> '' AND ${NO_RUN}
  ORDER BY t.updated_at LIMIT $2`;

export const COUNT_IDLE = `SELECT count(*) AS threads, count(*) FILTER (WHERE t.updated_at < $1 AND ${NO_RUN}) AS idle
  FROM skein.threads AS t WHERE t.owner <> ''`;

export const TEMPORARY = `SELECT ${FOUND} WHERE t.temporary = 1 AND t.updated_at < $1 AND t.owner <> '' AND ${NO_RUN}
  AND NOT EXISTS (SELECT FROM skein.webhook_deliveries AS w WHERE w.thread = t.key AND w.state = 'waiting')
  ORDER BY t.updated_at LIMIT $2`;

export const EXPIRED = `SELECT ${FOUND}
  WHERE t.ttl IS NOT NULL AND (t.ttl_strategy = 'delete' OR t.pruned_at IS DISTINCT FROM t.updated_at)
    AND greatest(t.updated_at, t.ttl_since) + t.ttl < $1 AND t.owner <> '' AND ${NO_RUN}
  ORDER BY greatest(t.updated_at, t.ttl_since) + t.ttl LIMIT $2`;

/** Events with the same time are in one slice (WITH TIES), because the next slice starts after that time. */
export const OLD_EVENTS = `
  WITH old AS (
    SELECT run_id, first, created_at FROM skein.events WHERE created_at > $1 AND created_at < $2
    ORDER BY created_at FETCH FIRST $3 ROWS WITH TIES),
  gone AS (
    DELETE FROM skein.events AS e USING old JOIN skein.runs AS r ON r.run_id = old.run_id AND r.finished_at < $2
    WHERE e.run_id = old.run_id AND e.first = old.first)
  SELECT max(created_at) AS last, count(*) AS count FROM old`;
