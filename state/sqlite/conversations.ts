/** Threads, runs, messages, events and feedback on SQLite. */
import type { Database } from 'bun:sqlite';
import { LeaseLost } from '../cluster/lease.ts';
import type { RunRow } from '../driver/rows.ts';
import {
  statisticsOf,
  toMessage,
  toRun,
  toThread,
  toUsage,
  UNKNOWN_MEMORY,
  UNREADABLE_RUN,
} from '../driver/rows.ts';
import { errorBody, SkeinError } from '../errors.ts';
import type { State } from '../state.ts';
import type { Run } from '../threads/runs.ts';
import type { MovedHead } from '../threads/threads.ts';
import { summedUsage } from '../usage/model-usage.ts';
import type { SqliteSaver } from './checkpoints/saver.ts';
import { feedbackStore } from './feedback.ts';
import type { GroupCommit } from './file/group-commit.ts';
import { coordination } from './runs/coordination.ts';
import { runEnd } from './runs/ending.ts';
import { eventLog } from './runs/event-log.ts';
import { stateChanges } from './runs/state-changes.ts';
import { statements } from './statements.ts';
import { interrupts } from './threads/interrupts.ts';
import { openInterrupts } from './threads/open-interrupts.ts';
import { usageCounting } from './usage/usage.ts';
import { webhooks } from './webhooks/webhooks.ts';

type Stores = Pick<
  State,
  'threads' | 'runs' | 'coordination' | 'messages' | 'events' | 'feedback' | 'webhooks'
>;

/** Reads flush queued writes first, so that they see all writes that were requested before. */
export function conversations(db: Database, commit: GroupCommit, saver: SqliteSaver, keep: number): Stores {
  const sql = statements(db);
  const pendings = interrupts(db, (thread, ids) => saver.prune(thread, ids));
  const changes = stateChanges(db);
  const log = eventLog(db, changes);
  const hooks = webhooks(db, commit);
  const findOpen = openInterrupts(db);
  const writing = { sql, saver, pendings, openInterrupts: findOpen, insertEvents: log.insert };
  const end = runEnd({ ...writing, keep, webhooks: hooks, count: usageCounting(db) });

  /** A run whose row cannot be read fails here, so that it does not prevent reading the others. */
  function unfinished(row: RunRow): Run[] {
    try {
      return [toRun(row)];
    } catch {
      const error = errorBody(new SkeinError('INTERNAL_ERROR', { message: UNREADABLE_RUN }), row.run_id);
      sql.breakRun.run(Date.now(), JSON.stringify(error), row.run_id);
      return [];
    }
  }

  /** Deletes the new checkpoint if the thread has an unfinished run or no longer exists. */
  function moveHeadOrPrune(key: string, to: MovedHead): boolean {
    const isMoved = moveHead(key, to);
    if (!isMoved && to.head !== undefined) saver.prune(key, [to.head]);
    return isMoved;
  }

  function moveHead(key: string, { head, stoppedAt, workflow, at }: MovedHead): boolean {
    const thread = toThread(sql.threadByKey.get(key));
    if (!thread) return false;
    const { interrupt, head: headBefore, memory: memoryBefore } = thread;
    const runId = interrupt?.runId ?? sql.newestRun.get(key)?.run_id;
    // Keep the writes of the current head, which contain its open interrupts: dropping this stop restores them.
    const writes = pendings.snapshot(key, headBefore);
    const stopped = { interrupts: [], stoppedAt, runId, headBefore, memoryBefore, writes };
    const pending = runId !== undefined && stoppedAt.length > 0 ? JSON.stringify(stopped) : null;
    const moved =
      head === undefined
        ? sql.keepHead.run(at, key)
        : sql.moveHead.run(head, workflow, UNKNOWN_MEMORY, at, key, pending);
    const newest = head ?? headBefore;
    if (moved.changes > 0 && newest !== null) changes.insert(key, newest, at);
    return moved.changes > 0;
  }

  function read<T>(query: () => T): Promise<T> {
    commit.flush();
    return Promise.resolve(query());
  }

  return {
    threads: {
      byKey: (key) => read(() => toThread(sql.threadByKey.get(key))),
      find: (owner, threadId) => read(() => toThread(sql.thread.get(owner, threadId))),
      dropInterrupt: (key, runId) => commit.write(key, () => pendings.drop(key, runId)),
      moveHead: (key, to) => commit.write(key, () => moveHeadOrPrune(key, to)),
      rewindInterrupt: (key) => commit.commit(key, () => pendings.rewind(key)),
    },
    coordination: coordination({ db, commit, end }),
    webhooks: hooks,
    runs: {
      find: (owner, runId) => read(() => toRun(sql.run.get(runId, owner))),
      ownerOf: (runId) => read(() => sql.runOwner.get(runId)?.owner),
      unfinished: () => read(() => sql.unfinishedRuns.all().flatMap(unfinished)),
      hasEnded: (runId) => read(() => sql.isUnfinished.get(runId) === null),
      answering: (key, runId) => read(() => sql.answering.all(key, runId).map(({ run_id }) => run_id)),
      usageOf: (key) => read(() => summedUsage(sql.usages.all(key).map(toUsage))),
      statistics: (workflow) => read(() => statisticsOf(sql.recentRuns.all(workflow))),
    },
    messages: {
      find: (owner, messageId) => read(() => toMessage(sql.message.get(messageId, owner))),
      ownerOf: (messageId) => read(() => sql.messageOwner.get(messageId)?.owner),
    },
    events: {
      async append(lease, take, urgency) {
        const work = () => take().every((batch) => log.insert(lease, batch, Date.now()));
        const { runId } = lease;
        const isWritten = await (urgency === 'now' ? commit.commit(runId, work) : commit.defer(runId, work));
        if (!isWritten) throw new LeaseLost(lease);
      },
      read: (...args) => read(() => log.read(...args)),
      readThread: (...args) => read(() => log.readThread(...args)),
    },
    feedback: feedbackStore(db, commit),
  };
}
