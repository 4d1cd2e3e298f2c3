/** Threads, runs, messages, events and feedback on SQLite. */
import type { Database } from 'bun:sqlite';
import { errorBody, SkeinError } from '../errors.ts';
import type { Acceptance, NewRun, UnfinishedRun } from '../runs.ts';
import type { Feedback, State } from '../state.ts';
import type { SqliteSaver } from './checkpoints.ts';
import { eventLog } from './event-log.ts';
import type { GroupCommit } from './group-commit.ts';
import { interrupts } from './interrupts.ts';
import { statisticsOf, toMessage, toRun, toThread } from './rows.ts';
import { runEnd } from './run-end.ts';
import { statements, type UnfinishedRow } from './statements.ts';

type Stores = Pick<State, 'threads' | 'runs' | 'idempotencyKeys' | 'messages' | 'events' | 'feedback'>;

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** Reads flush what is queued first, so that nobody misses what was said to be written. */
export function conversations(db: Database, commit: GroupCommit, saver: SqliteSaver, keep: number): Stores {
  const sql = statements(db);
  const pendings = interrupts(db, (thread, ids) => saver.prune(thread, ids));
  const log = eventLog(db);
  const end = runEnd({ sql, saver, pendings, keep, insertEvents: log.insert });

  function accept(run: NewRun): Acceptance {
    sql.insertThread.run(run.owner, run.threadId, run.title, run.workflow, run.createdAt);
    const row = sql.thread.get(run.owner, run.threadId);
    if (!row) throw new Error('a thread that was just written is not there');
    const thread = toThread(row);
    const { resume } = run.request;
    if (resume && thread.interrupt?.runId !== resume.runId) return { outcome: 'answered' };
    if (thread.interrupt && !resume && !run.evenInterrupted)
      return { outcome: 'interrupted', value: thread.interrupt.value };
    const { runId, messageId, workflow, request, createdAt, starts } = run;
    const status = starts ? 'running' : 'queued';
    const startedAt = starts ? createdAt : null;
    sql.insertRun.run(
      runId,
      row.key,
      run.owner,
      messageId,
      workflow,
      status,
      JSON.stringify(request),
      createdAt,
      startedAt,
    );
    const { idempotency } = run;
    if (idempotency) {
      sql.forgetKeys.run(createdAt - IDEMPOTENCY_MS);
      sql.insertKey.run(run.owner, idempotency.key, idempotency.digest, runId, createdAt);
    }
    return { outcome: 'accepted', thread };
  }

  /** A row that cannot be read harms its own run alone: that one ends here. */
  function unfinished(row: UnfinishedRow): UnfinishedRun[] {
    try {
      const { checkpoint, newest, deaths: count, deaths_newest } = row;
      return [{ ...toRun(row), checkpoint, newest, deaths: { count, newest: deaths_newest } }];
    } catch {
      const error = errorBody(
        new SkeinError('INTERNAL_ERROR', { message: 'The stored run cannot be read' }),
        row.run_id,
      );
      sql.endRun.run('failed', Date.now(), 0, 0, null, null, JSON.stringify(error), row.run_id);
      return [];
    }
  }

  function read<T>(query: () => T): Promise<T> {
    commit.flush();
    return Promise.resolve(query());
  }

  return {
    threads: {
      byKey: (key) => read(() => toThread(sql.threadByKey.get(key))),
      find: (owner, threadId) => read(() => toThread(sql.thread.get(owner, threadId))),
      dropInterrupt: (key) => commit.write(key, () => pendings.drop(key)),
      rewindInterrupt: (key) => commit.commit(key, () => pendings.rewind(key)),
    },
    runs: {
      accept: (run) => commit.commit(`${run.owner}/${run.threadId}`, () => accept(run)),
      begin: (runId, at, { number, deaths: { count, newest } }) =>
        commit.defer(runId, () => void sql.beginRun.run(at, number, count, newest, runId)),
      pause: (runId) => commit.write(runId, () => void sql.pauseRun.run(runId)),
      spend: (runId, { inputTokens, outputTokens }) =>
        commit.defer(runId, () => void sql.spend.run(inputTokens, outputTokens, runId)),
      async end(ended) {
        const { threadKey } = ended.run;
        try {
          if ('result' in ended.outcome) saver.assertWritten(threadKey);
          await commit.write(threadKey, () => end(ended));
        } finally {
          saver.release(threadKey);
        }
      },
      find: (owner, runId) => read(() => toRun(sql.run.get(runId, owner))),
      unfinished: () => read(() => sql.unfinishedRuns.all().flatMap(unfinished)),
      statistics: (workflow) => read(() => statisticsOf(sql.recentRuns.all(workflow))),
    },
    idempotencyKeys: {
      async find(owner, key) {
        const row = sql.key.get(owner, key, Date.now() - IDEMPOTENCY_MS);
        return row ? { runId: row.run_id, digest: row.digest } : undefined;
      },
    },
    messages: {
      find: (owner, messageId) => read(() => toMessage(sql.message.get(messageId, owner))),
    },
    events: {
      append(runId, batch, urgency) {
        const work = () => log.insert(runId, batch, Date.now());
        return urgency === 'now' ? commit.commit(runId, work) : commit.defer(runId, work);
      },
      read: (...asked) => read(() => log.read(...asked)),
      readThread: (...asked) => read(() => log.readThread(...asked)),
    },
    feedback: {
      put: (feedback) =>
        commit.write(
          feedback.message_id,
          () => void sql.putFeedback.run(feedback.message_id, JSON.stringify(feedback)),
        ),
      get: (messageId) =>
        read(() => {
          const row = sql.feedback.get(messageId);
          return row ? (JSON.parse(row.body) as Feedback) : undefined;
        }),
    },
  };
}
