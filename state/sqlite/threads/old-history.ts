/** Finds the checkpoints that a thread does not need to continue from its newest state. */
import type { Database } from 'bun:sqlite';

/**
 * Returns a function that finds at most `limit` of them, oldest first; undefined if the thread does not exist, is being
 * deleted, or has an unfinished run.
 *
 * Ids are ordered by time across namespaces, so checkpoints of subgraphs since the head have greater ids than the head. The
 * namespace of a subgraph that keeps its state across runs has no task id and therefore no colon. A waiting thread also keeps
 * the state to which it returns when the interrupt is dropped.
 */
export function oldHistory(db: Database): (thread: string, limit: number) => string[] | undefined {
  const free = db.query<object, [string]>(
    `SELECT 1 FROM threads WHERE key = CAST(? AS INTEGER) AND owner <> '' AND closing = 0
       AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = threads.key AND finished_at IS NULL)`,
  );
  const old = db.query<{ id: string }, [string, number]>(
    `WITH at AS (
       SELECT coalesce(head, '') AS head, interrupt ->> 'headBefore' AS before FROM threads
       WHERE key = CAST(?1 AS INTEGER)),
     needed AS (
       SELECT head AS id FROM at
       UNION ALL SELECT before FROM at WHERE before IS NOT NULL
       UNION ALL SELECT max(id) FROM checkpoints WHERE thread = ?1 GROUP BY ns
         HAVING ns NOT GLOB '*:*' OR max(id) > (SELECT head FROM at)
       UNION ALL SELECT max(id) FROM checkpoints
         WHERE thread = ?1 AND ns NOT GLOB '*:*' AND id <= (SELECT before FROM at) GROUP BY ns
       UNION ALL SELECT parent_checkpoint FROM threads
         WHERE parent_key = CAST(?1 AS INTEGER) AND parent_checkpoint IS NOT NULL)
     SELECT id FROM checkpoints WHERE thread = ?1 AND id NOT IN (SELECT id FROM needed) ORDER BY id LIMIT ?2`,
  );
  return (thread, limit) => (free.get(thread) ? old.all(thread, limit).map(({ id }) => id) : undefined);
}
