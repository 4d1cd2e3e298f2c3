/** What a pending interrupt leaves on a thread, kept so that an answer that came to nothing can be given again. */
import type { Database } from 'bun:sqlite';
import { finished, type WritesRow } from '../../driver/checkpoints/task-writes.ts';

/** Everything here runs inside a transaction of the caller. `thread` is the thread's key. */
export interface Interrupts {
  /** The task writes of the turn that waits, which began at `head`: what its agents have finished, and what they ask. */
  snapshot(thread: string, head: string | null): string;
  /** An answer that failed: the writes are as they were when the turn began to wait. */
  restore(thread: string): void;
  /**
   * An answer that was cut off by the end of the process: agents that have finished since stay so, the others ask
   * again. LangGraph would give the answer that is stored with them to their next question too.
   */
  rewind(thread: string): void;
  /**
   * The turn that waits, or that of the given run, is given up: its head, its checkpoints and its writes go, its run is
   * cancelled. What LangGraph's protocol has written since it began stays, and then the head stays too. False, and nothing done, where the given run is being answered.
   */
  drop(thread: string, runId?: string): boolean;
}

export function interrupts(db: Database, prune: (thread: string, ids: string[]) => void): Interrupts {
  // Ids are ordered by time: writes to older checkpoints are kept for those who go on from them.
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
  // Of a checkpoint that was pruned meanwhile, what delta channels need is kept elsewhere.
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
  // Checkpoints without a run are changes of the state.
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

  function putBack(thread: string): void {
    const rows = JSON.parse(stored.get(thread)?.writes ?? '[]') as WritesRow[];
    for (const [ns, id, task, writes, path = ''] of rows) insert.run(thread, ns, id, task, writes, path);
  }

  return {
    snapshot,
    restore(thread) {
      removeAll.run(thread, stored.get(thread)?.head ?? null);
      putBack(thread);
    },
    rewind(thread) {
      const { head = null } = stored.get(thread) ?? {};
      for (const [ns, id, task, writes] of JSON.parse(snapshot(thread, head)) as WritesRow[]) {
        if (!finished(writes)) remove.run(thread, ns, id, task);
      }
      putBack(thread);
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
