/** The task writes of a pending interrupt, stored so that the answer can be repeated after a failure. */
import type { Database } from 'bun:sqlite';
import { finished, type WritesRow } from '../../driver/checkpoints/task-writes.ts';

/** All methods must be called inside a transaction. `thread` is the thread's key. */
export interface Interrupts {
  /** The task writes of the waiting turn, which started at `head`: results of finished agents, and interrupts. */
  snapshot(thread: string, head: string | null): string;
  /** After a failed answer: restores all writes from when the turn began to wait. */
  restore(thread: string): void;
  /**
   * After a crash during an answer: keeps agents that have finished since, and restores the writes of the others, which ask
   * again. Otherwise LangGraph would also use the stored answer for their next question.
   */
  rewind(thread: string): void;
  /**
   * Drops the waiting turn, or only that of run `runId`: deletes its checkpoints and writes, restores the head before it and
   * cancels its run. If LangGraph's protocol has written to the thread since, keeps the head and the checkpoints. Does nothing
   * and returns false if run `runId` is being answered.
   */
  drop(thread: string, runId?: string): boolean;
}

export function interrupts(db: Database, prune: (thread: string, ids: string[]) => void): Interrupts {
  // Ids are ordered by time. Writes of older checkpoints are kept for runs that start from them.
  const since = `thread = ?1 AND id >= coalesce(?2, '')`;
  const all = db.query<{ rows: string }, [string, string | null]>(
    `SELECT json_group_array(json_array(ns, id, task, writes, path)) AS rows FROM checkpoint_writes WHERE ${since}`,
  );
  const stored = db.query<{ writes: string | null; run: string | null; head: string | null }, [string]>(
    `SELECT interrupt ->> 'writes' AS writes, interrupt ->> 'runId' AS run, interrupt ->> 'headBefore' AS head
     FROM threads WHERE key = ?`,
  );
  const answering = db.query<object, [string, string]>(
    `SELECT 1 FROM runs WHERE thread = CAST(? AS INTEGER) AND finished_at IS NULL
       AND request -> 'resume' ->> 'runId' = ?`,
  );
  const remove = db.query(
    'DELETE FROM checkpoint_writes WHERE thread = ? AND ns = ? AND id = ? AND task = ?',
  );
  const removeAll = db.query(`DELETE FROM checkpoint_writes WHERE ${since}`);
  // Skips deleted checkpoints: the writes that delta channels need are in their steps.
  const insert = db.query(
    `INSERT OR IGNORE INTO checkpoint_writes SELECT ?1, ?2, ?3, ?4, ?5, ?6
     WHERE EXISTS (SELECT 1 FROM checkpoints WHERE thread = ?1 AND ns = ?2 AND id = ?3)`,
  );
  const cancelRun = db.query(
    `UPDATE runs SET status = 'cancelled' WHERE status = 'interrupted'
       AND run_id = (SELECT interrupt ->> 'runId' FROM threads WHERE key = ?)`,
  );
  const newer = db.query<{ id: string }, [string, string]>(
    `SELECT id FROM checkpoints WHERE thread = ?1
       AND id > coalesce((SELECT interrupt ->> 'headBefore' FROM threads WHERE key = ?2), '')`,
  );
  // Checkpoints without a run are changes of the state by LangGraph's protocol.
  const protocolWrote = db.query<object, [string, string]>(
    `SELECT 1 FROM checkpoints AS c JOIN threads AS t ON t.key = CAST(?1 AS INTEGER) AND t.keeps_all = 1
     LEFT JOIN runs AS r ON r.run_id = c.run_id
     WHERE c.thread = ?2 AND c.id > coalesce(t.interrupt ->> 'headBefore', '')
       AND (r.run_id IS NULL OR r.request -> 'protocol' IS NOT NULL) LIMIT 1`,
  );
  const forget = db.query('UPDATE threads SET interrupt = NULL WHERE key = ?');
  const clear = db.query(
    `UPDATE threads SET head = interrupt ->> 'headBefore', memory = interrupt ->> 'memoryBefore', interrupt = NULL
     WHERE key = ? AND interrupt IS NOT NULL`,
  );

  const snapshot = (thread: string, head: string | null) => all.get(thread, head)?.rows ?? '[]';

  function insertStored(thread: string): void {
    const rows = JSON.parse(stored.get(thread)?.writes ?? '[]') as WritesRow[];
    for (const [ns, id, task, writes, path = ''] of rows) insert.run(thread, ns, id, task, writes, path);
  }

  return {
    snapshot,
    restore(thread) {
      removeAll.run(thread, stored.get(thread)?.head ?? null);
      insertStored(thread);
    },
    rewind(thread) {
      const { head = null } = stored.get(thread) ?? {};
      for (const [ns, id, task, writes] of JSON.parse(snapshot(thread, head)) as WritesRow[]) {
        if (!finished(writes)) remove.run(thread, ns, id, task);
      }
      insertStored(thread);
    },
    drop(thread, runId) {
      const pending = stored.get(thread);
      if (pending?.writes == null || (runId !== undefined && pending.run !== runId)) return true;
      if (runId !== undefined && answering.get(thread, runId)) return false;
      cancelRun.run(thread);
      if (protocolWrote.get(thread, thread)) {
        forget.run(thread);
        return true;
      }
      prune(
        thread,
        newer.all(thread, thread).map(({ id }) => id),
      );
      removeAll.run(thread, pending.head);
      clear.run(thread);
      return true;
    },
  };
}
