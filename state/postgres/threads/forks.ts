/** Forks on PostgreSQL: one transaction copies checkpoint and messages to a hidden thread, another one makes it visible. */

import { keyOf, type RunRow, toRun } from '../../driver/rows.ts';
import { type DraftRow, toDraftMessage } from '../../driver/stored-message.ts';
import type {
  CheckpointKey,
  Draft,
  Forks,
  NewFork,
  StoredCheckpoint,
  StoredThread,
} from '../../threads/archive.ts';
import type { Run } from '../../threads/runs.ts';
import type { Database, Statements } from '../database/database.ts';
import type { Checkpoints } from './checkpoints.ts';
import * as sql from './fork-statements.ts';
import type { removal } from './removal.ts';

export interface ForkParts {
  database: Database;
  checkpoints: Pick<Checkpoints, 'copySteps' | 'release'>;
  removal: Pick<ReturnType<typeof removal>, 'thread'>;
}

export function forks({ database, checkpoints, removal }: ForkParts): Forks {
  /**
   * Creates the hidden thread with a copy of the checkpoint, and keeps the original from now on. Undefined if the original has
   * been deleted.
   */
  async function begin(
    tx: Statements,
    { key: from, owner }: StoredThread,
    { namespace, checkpointId }: StoredCheckpoint,
    inside: CheckpointKey[],
  ): Promise<number | undefined> {
    // The lock prevents deletion of the checkpoint during the copy.
    if (!(await tx.get(sql.LOCK_ORIGIN, Number(from), owner))) return undefined;
    if (!(await tx.get(sql.FIND_CHECKPOINT, from, checkpointId))) return undefined;
    const parameters = [Bun.randomUUIDv7(), Number(from), checkpointId] as const;
    const created = await tx.get<{ key: number }>(sql.INSERT_DRAFT, ...parameters);
    if (!created) throw new Error('The draft was not stored');
    const key = keyOf(created.key);
    for (const one of [{ namespace, checkpointId }, ...inside]) {
      await tx.run(sql.COPY_CHECKPOINT, key, from, one.namespace, one.checkpointId);
      await checkpoints.copySteps(tx, from, one, key);
    }
    await tx.run(sql.COPY_VALUES, key, from);
    await tx.run(sql.COPY_ELEMENTS, key, from);
    return created.key;
  }

  async function draft(
    tx: Statements,
    from: StoredThread,
    checkpoint: StoredCheckpoint,
    { newest, inside }: { newest: number | null; inside: CheckpointKey[] },
  ): Promise<Draft | undefined> {
    const key = await begin(tx, from, checkpoint, inside);
    if (key === undefined) return undefined;
    if (newest === null) return { key: keyOf(key), messageCount: 0, newest: [] };
    const { last, unanswered } = await extent(tx, from, checkpoint);
    let messageCount = await tx.run(sql.COPY_MESSAGES, key, Number(from.key), last);
    if (unanswered) {
      const { userPrompt, userId = null } = unanswered.request;
      const at = unanswered.startedAt ?? unanswered.createdAt;
      await tx.run(sql.INSERT_QUESTION, key, unanswered.runId, unanswered.workflow, userPrompt, userId, at);
      messageCount++;
    }
    const rows = await tx.all<DraftRow>(sql.NEWEST_MESSAGES, key, newest);
    return { key: keyOf(key), messageCount, newest: rows.map(toDraftMessage) };
  }

  async function publish(tx: Statements, from: StoredThread, draft: Draft, fork: NewFork): Promise<boolean> {
    if (!(await tx.get(sql.LOCK_ORIGIN, Number(from.key), from.owner))) return false;
    const key = Number(draft.key);
    if (!(await tx.get(sql.LOCK_DRAFT, key))) throw new Error('The draft has been discarded');
    if (!(await tx.get(sql.FIND_CHECKPOINT, draft.key, fork.head)))
      throw new Error('The head of the fork does not exist');
    for (const { messageId, role, content, outputs } of fork.changed)
      await tx.run(sql.CHANGE_MESSAGE, role, content, outputs && JSON.stringify(outputs), messageId);
    for (const { messageId, role, content } of fork.added)
      await tx.run(sql.ADD_MESSAGE, key, messageId, fork.workflow, role, content, fork.createdAt);
    const names = [from.owner, from.title, from.threadId, fork.threadId, fork.workflow] as const;
    const count = draft.messageCount + fork.added.length;
    await tx.run(sql.PUBLISH, key, ...names, fork.head, JSON.stringify(fork.memory), count, fork.createdAt);
    return true;
  }

  return {
    draft: (from, checkpoint, newest, inside = []) =>
      database.transaction((tx) => draft(tx, from, checkpoint, { newest, inside })),
    async publish(from, draft, fork) {
      try {
        return await database.transaction((tx) => publish(tx, from, draft, fork));
      } finally {
        checkpoints.release(draft.key);
      }
    },
    async discard(draft) {
      checkpoints.release(draft.key);
      await removal.thread(draft.key);
    },
  };
}

/** The last message of the turns that the checkpoint contains, and the run whose question has no message yet. */
async function extent(
  tx: Statements,
  { key, createdAt }: StoredThread,
  checkpoint: StoredCheckpoint,
): Promise<{ last: number; unanswered?: Run }> {
  const thread = Number(key);
  const lastUntil = async (at: number) =>
    (await tx.get<{ seq: number }>(sql.LAST_UNTIL, thread, at))?.seq ?? 0;
  const row = checkpoint.runId && (await tx.get<RunRow>(sql.FIND_RUN, checkpoint.runId, thread));
  // A fork created the checkpoint: its messages existed when the thread was created.
  if (!row) return { last: await lastUntil(createdAt) };
  const run = toRun(row);
  const hasQuestion = checkpoint.source !== 'input';
  if (run.status !== 'succeeded') {
    const last = await lastUntil(run.startedAt ?? run.createdAt);
    return hasQuestion ? { last, unanswered: run } : { last };
  }
  const rows = await tx.all<{ seq: number }>(sql.ROWS_OF_RUN, thread, run.runId);
  const [answer = 0, question = answer] = rows.map(({ seq }) => seq);
  if (checkpoint.next.length === 0) return { last: answer };
  return { last: hasQuestion ? question : question - 1 };
}
