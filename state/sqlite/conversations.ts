/** Threads, runs, messages, events and feedback on SQLite. */
import type { Database } from 'bun:sqlite';
import { errorBody, SkeinError } from '../errors.ts';
import type { Acceptance, EventBatch, Feedback, NewRun, RunEnd, State, UnfinishedRun } from '../state.ts';
import type { SqliteSaver } from './checkpoints.ts';
import type { GroupCommit } from './group-commit.ts';
import { statisticsOf, toMessage, toRun, toThread } from './rows.ts';
import { statements, type UnfinishedRow } from './statements.ts';

type Stores = Pick<State, 'threads' | 'runs' | 'idempotencyKeys' | 'messages' | 'events' | 'feedback'>;

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;
const TIDY_EVERY_MESSAGES = 16;

/** Reads flush what is queued first, so that nobody misses what was said to be written. */
export function conversations(db: Database, commit: GroupCommit, saver: SqliteSaver, keep: number): Stores {
  const sql = statements(db);

  function accept(run: NewRun): Acceptance {
    sql.insertThread.run(run.owner, run.threadId, run.title, run.workflow, run.createdAt);
    const row = sql.thread.get(run.owner, run.threadId);
    if (!row) throw new Error('a thread that was just written is not there');
    const thread = toThread(row);
    if (thread.interrupt && !run.evenInterrupted)
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

  function end({ run, before, finishedAt, usage, agents, events, outcome }: RunEnd): void {
    const { runId, threadKey } = run;
    const result = 'result' in outcome ? JSON.stringify(outcome.result) : null;
    const error = 'error' in outcome ? JSON.stringify(outcome.error) : null;
    const { inputTokens, outputTokens } = usage;
    const reports = JSON.stringify(agents);
    const ended = sql.endRun.run(
      outcome.status,
      finishedAt,
      inputTokens,
      outputTokens,
      reports,
      result,
      error,
      runId,
    );
    // It has ended before: what stands then stays.
    if (ended.changes === 0) return;
    sql.noteEnd.run(outcome.status === 'failed' ? 1 : 0, finishedAt, threadKey);
    if (events) insertEvents(runId, events, finishedAt);
    if ('error' in outcome) {
      const ids = sql.checkpointsOfRun.all(threadKey, runId).map(({ id }) => id);
      saver.prune(threadKey, ids);
      return;
    }
    const head = saver.newestOf(threadKey) ?? sql.newestCheckpoint.get(threadKey, runId)?.id;
    if (head === undefined) throw new Error('the run that ends has no checkpoint');
    const pending = outcome.result.interrupt;
    const interrupt = pending && JSON.stringify({ ...pending, runId, headBefore: before.head });
    const messages =
      before.messageCount + insertMessages(run, outcome, finishedAt, inputTokens + outputTokens);
    const memory = JSON.stringify(outcome.memory);
    sql.advanceThread.run(head, interrupt, memory, run.workflow, messages, finishedAt, threadKey);
    if (!pending) tidy(threadKey, head, messages);
  }

  /** The turn's two messages; a turn that waits for a person has no answer yet. Gives how many were written. */
  function insertMessages(
    run: RunEnd['run'],
    outcome: RunEnd['outcome'],
    at: number,
    tokens: number,
  ): number {
    if (outcome.status !== 'succeeded') return 0;
    const { agentResponse, outputs } = outcome.result;
    const common = [run.threadKey, run.runId, run.workflow, at, run.request.userId ?? null] as const;
    sql.insertMessage.run(...common, Bun.randomUUIDv7(), 'user', run.request.userPrompt, null, null);
    sql.insertMessage.run(
      ...common,
      run.messageId,
      'assistant',
      agentResponse,
      JSON.stringify(outputs),
      tokens,
    );
    return 2;
  }

  /** Task writes serve only to go on from a checkpoint that is not finished; old checkpoints go by the policy. */
  function tidy(thread: string, head: string, messages: number): void {
    sql.deleteWrites.run(thread);
    // Now and then, because finding values that nothing names any more costs as much for one checkpoint as for many.
    if (messages % TIDY_EVERY_MESSAGES !== 0) return;
    saver.prune(
      thread,
      sql.oldCheckpoints.all(thread, head, thread, keep).map(({ id }) => id),
    );
  }

  /** A row that cannot be read harms its own run alone: that one ends here. */
  function unfinished(row: UnfinishedRow): UnfinishedRun[] {
    try {
      return [{ ...toRun(row), checkpoint: row.checkpoint }];
    } catch {
      const error = errorBody(
        new SkeinError('INTERNAL_ERROR', { message: 'The stored run cannot be read' }),
        row.run_id,
      );
      sql.endRun.run('failed', Date.now(), 0, 0, null, null, JSON.stringify(error), row.run_id);
      return [];
    }
  }

  function insertEvents(runId: string, { first, last, events }: EventBatch, at: number): void {
    sql.insertEvents.run(runId, first, last, JSON.stringify(events), at);
  }

  function read<T>(query: () => T): Promise<T> {
    commit.flush();
    return Promise.resolve(query());
  }

  return {
    threads: {
      byKey: async (key) => toThread(sql.threadByKey.get(key)),
      dropInterrupt: (key) => commit.write(key, () => void sql.dropInterrupt.run(key)),
    },
    runs: {
      accept: (run) => commit.commit(`${run.owner}/${run.threadId}`, () => accept(run)),
      begin(runId, at, attempt) {
        // Where this is lost, the run is still there as queued, and goes on as such.
        commit.defer(runId, () => void sql.beginRun.run(at, attempt, runId)).catch(() => {});
      },
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
      append(runId, batch) {
        commit.defer(runId, () => insertEvents(runId, batch, Date.now())).catch(() => {});
      },
      read: (runId, after) =>
        read(() =>
          sql.eventsAfter
            .all(runId, after)
            .map(({ first, last, body }) => ({ first, last, events: JSON.parse(body) })),
        ),
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
