/**
 * The task writes of a pending interrupt, stored so that the answer can be repeated after a failure. They are in the column
 * `threads.interrupt_writes`, written by `skein.snapshot_v1`. All functions must be called inside a transaction; `key` is the
 * thread's key.
 */
import { finished, type WritesRow } from '../../driver/checkpoints/task-writes.ts';
import { toThread } from '../../driver/rows.ts';
import type { PendingInterrupt } from '../../threads/threads.ts';
import type { Statements } from '../database/database.ts';
import type { Checkpoints } from './checkpoints.ts';
import { lockThread } from './thread-rows.ts';

/**
 * After a crash during an answer: keeps agents that have finished since, and restores the writes of the others, which ask
 * again. Otherwise LangGraph would also use the stored answer for their next question.
 */
export async function rewindInterrupt(tx: Statements, key: string): Promise<void> {
  const pending = await pendingOf(tx, key);
  if (!pending) return;
  const row = await tx.get<{ now: string; stored: string | null }>(
    'SELECT skein.snapshot_v1($1, $2) AS now, interrupt_writes AS stored FROM skein.threads WHERE key = $3',
    key,
    pending.headBefore,
    Number(key),
  );
  const [now, stored]: WritesRow[][] = [JSON.parse(row?.now ?? '[]'), JSON.parse(row?.stored ?? '[]')];
  // If a task has two rows, `restore_v1` keeps the first.
  const writes = JSON.stringify([...(now ?? []).filter(([, , , text]) => finished(text)), ...(stored ?? [])]);
  await tx.run('SELECT skein.restore_v1($1, $2, $3)', key, pending.headBefore, writes);
}

/**
 * Drops the waiting turn, or only that of run `runId`: deletes its checkpoints and writes, restores the head before it and
 * cancels its run. If LangGraph's protocol has written to the thread since, keeps the head and the checkpoints. Does nothing
 * and returns false if run `runId` is being answered.
 */
export async function dropInterrupt(
  tx: Statements,
  { prune }: Pick<Checkpoints, 'prune'>,
  key: string,
  runId?: string,
): Promise<boolean> {
  const pending = await pendingOf(tx, key);
  if (!pending || (runId !== undefined && pending.runId !== runId)) return true;
  if (runId !== undefined && (await isAnswered(tx, key, runId))) return false;
  await tx.run(
    `UPDATE skein.runs SET status = 'cancelled' WHERE status = 'interrupted' AND run_id = $1`,
    pending.runId,
  );
  const { headBefore, memoryBefore } = pending;
  const since = headBefore ?? '';
  if (await tx.get(PROTOCOL_WROTE, Number(key), key, since)) {
    await tx.run(
      'UPDATE skein.threads SET interrupt = NULL, interrupt_writes = NULL WHERE key = $1',
      Number(key),
    );
    return true;
  }
  const newer = await tx.all<{ id: string }>(
    'SELECT id FROM skein.checkpoints WHERE thread = $1 AND id > $2',
    key,
    since,
  );
  await prune(
    tx,
    key,
    newer.map(({ id }) => id),
  );
  await tx.run('DELETE FROM skein.checkpoint_writes WHERE thread = $1 AND id >= $2', key, since);
  await tx.run(
    `UPDATE skein.threads SET head = $2, memory = $3, interrupt = NULL, interrupt_writes = NULL WHERE key = $1`,
    Number(key),
    headBefore,
    JSON.stringify(memoryBefore),
  );
  return true;
}

// Checkpoints without a run are changes of the state by LangGraph's protocol.
const PROTOCOL_WROTE = `
  SELECT 1 FROM skein.threads AS t JOIN skein.checkpoints AS c ON c.thread = $2 AND c.id > $3
  LEFT JOIN skein.runs AS r ON r.run_id = c.run_id
  WHERE t.key = $1 AND t.keeps_all = 1 AND (r.run_id IS NULL OR r.protocol = 1) LIMIT 1`;

/** Locks the thread. */
async function pendingOf(tx: Statements, key: string): Promise<PendingInterrupt | undefined> {
  return toThread((await lockThread(tx, key)) ?? null)?.interrupt ?? undefined;
}

async function isAnswered(tx: Statements, key: string, runId: string): Promise<boolean> {
  const answer = await tx.get(
    'SELECT 1 FROM skein.runs WHERE thread = $1 AND finished_at IS NULL AND resumes = $2',
    Number(key),
    runId,
  );
  return answer !== undefined;
}
