/** Finds the checkpoints that a thread does not need to continue from its newest state. */
import { toThread } from '../../driver/rows.ts';
import type { Statements } from '../database/database.ts';
import { hasRuns, lockThread } from './thread-rows.ts';

const CLOSING = `SELECT 1 FROM skein.threads
  WHERE key = $1 AND closed_by IS NOT NULL AND skein.is_alive(closed_by)`;

const OLD = `
  WITH needed AS (
    SELECT $2::text AS id
    UNION ALL SELECT $3::text
    UNION ALL SELECT max(id) FROM skein.checkpoints WHERE thread = $1 GROUP BY ns
      HAVING position(':' IN ns) = 0 OR max(id) > $2::text
    UNION ALL SELECT max(id) FROM skein.checkpoints
      WHERE thread = $1 AND position(':' IN ns) = 0 AND id <= $3::text GROUP BY ns
    UNION ALL SELECT parent_checkpoint FROM skein.threads WHERE parent_key = $4)
  SELECT id FROM skein.checkpoints AS c
  WHERE thread = $1 AND NOT EXISTS (SELECT FROM needed WHERE needed.id = c.id) ORDER BY id LIMIT $5`;

/**
 * Locks the thread and returns at most `limit` of them, oldest first; undefined if the thread does not exist, is being deleted,
 * or has an unfinished run.
 *
 * Ids are ordered by time across namespaces, so checkpoints of subgraphs since the head have greater ids than the head. The
 * namespace of a subgraph that keeps its state across runs has no task id and therefore no colon. A waiting thread also keeps
 * the state to which it returns when the interrupt is dropped.
 */
export async function oldHistory(tx: Statements, key: string, limit: number): Promise<string[] | undefined> {
  const thread = toThread((await lockThread(tx, key)) ?? null);
  if (!thread || thread.owner === '' || (await tx.get(CLOSING, Number(key)))) return undefined;
  if (await hasRuns(tx, key)) return undefined;
  const before = thread.interrupt?.headBefore ?? null;
  const rows = await tx.all<{ id: string }>(OLD, key, thread.head ?? '', before, Number(key), limit);
  return rows.map(({ id }) => id);
}
