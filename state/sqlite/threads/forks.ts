/** Forks on SQLite: the checkpoint and messages are copied to a hidden thread, which then becomes visible. */
import type { Database } from 'bun:sqlite';
import { keyOf, toRun } from '../../driver/rows.ts';
import { toDraftMessage } from '../../driver/stored-message.ts';
import type {
  CheckpointKey,
  Draft,
  Forks,
  NewFork,
  StoredCheckpoint,
  StoredThread,
} from '../../threads/archive.ts';
import type { Run } from '../../threads/runs.ts';
import type { SqliteSaver } from '../checkpoints/saver.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { forkStatements } from './fork-statements.ts';
import type { removal } from './removal.ts';

// Copying this many rows takes a few milliseconds, so that a long conversation does not block other work.
const SLICE = 200;

export interface ForkParts {
  db: Database;
  commit: GroupCommit;
  saver: SqliteSaver;
  removal: ReturnType<typeof removal>;
}

export function forks({ db, commit, saver, removal }: ForkParts): Forks {
  const sql = forkStatements(db);

  /**
   * Creates the hidden thread with a copy of the checkpoint, and keeps the original from now on. Undefined if the original has
   * been deleted.
   */
  function begin(
    from: StoredThread,
    { namespace, checkpointId }: StoredCheckpoint,
    inside: CheckpointKey[],
  ): string | undefined {
    if (!sql.checkpoint.get(from.key, checkpointId)) return undefined;
    const { lastInsertRowid } = sql.insertDraft.run(Bun.randomUUIDv7(), from.key, checkpointId);
    const key = keyOf(Number(lastInsertRowid));
    for (const checkpoint of [{ namespace, checkpointId }, ...inside]) {
      sql.copyCheckpoint.run(key, from.key, checkpoint.namespace, checkpoint.checkpointId);
      saver.copySteps(from.key, checkpoint, key);
    }
    sql.copyValues.run(key, from.key);
    sql.copyElements.run(from.key, key);
    return key;
  }

  /** The last message of the turns that the checkpoint contains, and the run whose question has no message yet. */
  function extent(from: StoredThread, checkpoint: StoredCheckpoint): { last: number; unanswered?: Run } {
    const row = checkpoint.runId === null ? null : sql.run.get(checkpoint.runId, from.key);
    // A fork created the checkpoint: its messages existed when the thread was created.
    if (!row) return { last: sql.lastUntil.get(from.key, from.createdAt)?.seq ?? 0 };
    const run = toRun(row);
    const hasQuestion = checkpoint.source !== 'input';
    if (run.status !== 'succeeded') {
      const last = sql.lastUntil.get(from.key, run.startedAt ?? run.createdAt)?.seq ?? 0;
      return hasQuestion ? { last, unanswered: run } : { last };
    }
    const rows = sql.rowsOf.all(from.key, run.runId).map(({ seq }) => seq);
    const [answer = 0, question = answer] = rows;
    if (checkpoint.next.length === 0) return { last: answer };
    return { last: hasQuestion ? question : question - 1 };
  }

  /** Returns the number of copied messages. */
  async function copyMessages(from: StoredThread, key: string, last: number): Promise<number> {
    let copied = 0;
    for (let after = 0; after < last; ) {
      commit.flush();
      const rows = sql.slice.all(from.key, after, last, SLICE);
      if (rows.length === 0) break;
      const ids = rows.map(() => Bun.randomUUIDv7());
      const end = rows.at(-1)?.seq ?? last;
      const start = after;
      await commit.commit(key, () => {
        sql.copyMessages.run(key, JSON.stringify(ids), from.key, start, end);
      });
      copied += rows.length;
      after = end;
      await Bun.sleep(0);
    }
    return copied;
  }

  function publish(from: StoredThread, draft: Draft, fork: NewFork): boolean {
    if (!sql.origin.get(from.key, from.owner)) return false;
    if (!sql.checkpoint.get(draft.key, fork.head)) throw new Error('The head of the fork does not exist');
    for (const { messageId, role, content, outputs } of fork.changed) {
      sql.changeMessage.run(role, content, outputs && JSON.stringify(outputs), messageId);
    }
    for (const { messageId, role, content } of fork.added) {
      sql.addMessage.run(draft.key, messageId, fork.workflow, role, content, fork.createdAt);
    }
    const { title, owner, threadId } = from;
    sql.publish.run({
      key: draft.key,
      owner,
      title,
      parent: threadId,
      threadId: fork.threadId,
      workflow: fork.workflow,
      head: fork.head,
      memory: JSON.stringify(fork.memory),
      count: draft.messageCount + fork.added.length,
      at: fork.createdAt,
    });
    return true;
  }

  return {
    async draft(from, checkpoint, newest, inside = []) {
      const key = await commit.commit(from.key, () => begin(from, checkpoint, inside));
      if (key === undefined) return undefined;
      if (newest === null) return { key, messageCount: 0, newest: [] };
      const { last, unanswered } = extent(from, checkpoint);
      let messageCount = await copyMessages(from, key, last);
      if (unanswered) {
        const { userPrompt, userId } = unanswered.request;
        const at = unanswered.startedAt ?? unanswered.createdAt;
        const id = Bun.randomUUIDv7();
        await commit.commit(key, () =>
          sql.insertQuestion.run(
            id,
            key,
            unanswered.runId,
            unanswered.workflow,
            userPrompt,
            userId ?? null,
            at,
          ),
        );
        messageCount++;
      }
      commit.flush();
      return { key, messageCount, newest: sql.newest.all(key, newest).map(toDraftMessage) };
    },
    async publish(from, draft, fork) {
      try {
        return await commit.write(draft.key, () => publish(from, draft, fork));
      } finally {
        saver.release(draft.key);
      }
    },
    async discard(draft) {
      saver.release(draft.key);
      await removal.thread(draft.key);
    },
  };
}
