/** Threads on PostgreSQL for the runtime. */

import { type Lease, LeaseLost } from '../../cluster/lease.ts';
import { type ThreadRow, toThread, UNKNOWN_MEMORY } from '../../driver/rows.ts';
import type { MovedHead, Threads } from '../../threads/threads.ts';
import type { Database, Statements } from '../database/database.ts';
import type { Checkpoints } from './checkpoints.ts';
import { dropInterrupt, rewindInterrupt } from './interrupts.ts';
import { hasRuns, lockThread, THREAD } from './thread-rows.ts';

const NEWEST_RUN = 'SELECT run_id FROM skein.runs WHERE thread = $1 ORDER BY seq DESC LIMIT 1';
const KEEP_HEAD = 'UPDATE skein.threads SET keeps_all = 1, updated_at = $2 WHERE key = $1';
// Adds an entry to the thread's log that belongs to no run.
const NOTE_CHANGE = `
  WITH numbered AS (UPDATE skein.threads SET last_seq = last_seq + 1 WHERE key = $1 RETURNING key, last_seq)
  INSERT INTO skein.state_changes (thread, seq, checkpoint, created_at) SELECT key, last_seq, $2, $3 FROM numbered`;
// Keeps the writes of the current head, which contain its open interrupts: dropping this stop restores them.
const MOVE_HEAD = `
  UPDATE skein.threads SET head = $2, workflow = $3, memory = $4, updated_at = $5, failed = 0, keeps_all = 1,
    interrupt = $6, interrupt_run = $9, interrupt_since = $8, interrupt_writes = CASE WHEN $6::text IS NOT NULL THEN skein.snapshot_v1($7, $8) END
  WHERE key = $1`;

export function threadStore(
  database: Database,
  checkpoints: Pick<Checkpoints, 'prune'>,
  server: () => string,
): Threads {
  const found = async (condition: string, ...values: (string | number)[]) => {
    const text = `SELECT ${THREAD} FROM skein.threads AS t WHERE ${condition}`;
    return toThread((await database.get<ThreadRow>(text, ...values)) ?? null);
  };
  return {
    byKey: (key) => found('t.key = $1', Number(key)),
    find: (owner, threadId) => found('t.owner = $1 AND t.thread_id = $2', owner, threadId),
    dropInterrupt: (key, runId, by) =>
      database.transaction(async (tx) => {
        await mustHold(tx, key, by);
        return dropInterrupt(tx, checkpoints, key, runId);
      }),
    moveHead: (key, to) =>
      database.transaction(async (tx) => {
        const isMoved = await moveHead(tx, key, to);
        // Delete the new checkpoint if the thread has an unfinished run or no longer exists.
        if (!isMoved && to.head !== undefined) await checkpoints.prune(tx, key, [to.head]);
        return isMoved;
      }),
    rewindInterrupt: (key, by) =>
      database.transaction(async (tx) => {
        await mustHold(tx, key, by);
        await rewindInterrupt(tx, key);
      }),
  };

  /** Throws LeaseLost if another server has claimed the run. Locks the thread. */
  async function mustHold(tx: Statements, key: string, lease: Lease | undefined): Promise<void> {
    if (!lease) return;
    await lockThread(tx, key);
    const row = await tx.get<{ holds: boolean }>(
      'SELECT skein.holds_v1($1, $2, $3) AS holds',
      ...[lease.runId, lease.number, server()],
    );
    if (!row?.holds) throw new LeaseLost(lease);
  }
}

async function moveHead(
  tx: Statements,
  key: string,
  { head, stoppedAt, workflow, at }: MovedHead,
): Promise<boolean> {
  const thread = toThread((await lockThread(tx, key)) ?? null);
  if (!thread || (await hasRuns(tx, key))) return false;
  if (head === undefined) {
    await tx.run(KEEP_HEAD, Number(key), at);
    if (thread.head !== null) await tx.run(NOTE_CHANGE, Number(key), thread.head, at);
    return true;
  }
  const { interrupt, head: headBefore, memory: memoryBefore } = thread;
  const runId = interrupt?.runId ?? (await tx.get<{ run_id: string }>(NEWEST_RUN, Number(key)))?.run_id;
  const stopped = { interrupts: [], stoppedAt, runId, headBefore, memoryBefore };
  const pending = runId !== undefined && stoppedAt.length > 0 ? JSON.stringify(stopped) : null;
  const parameters = [Number(key), head, workflow, UNKNOWN_MEMORY, at] as const;
  await tx.run(MOVE_HEAD, ...parameters, pending, key, headBefore, runId ?? null);
  await tx.run(NOTE_CHANGE, Number(key), head, at);
  return true;
}
