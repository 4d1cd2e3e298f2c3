/** Writes the end of a run: its outcome, its messages and the thread's new head, and deletes what is no longer needed. */

import type { Lease } from '../../cluster/lease.ts';
import { UNKNOWN_MEMORY } from '../../driver/rows.ts';
import type { EventBatch } from '../../threads/events.ts';
import { isInterrupted, type RunEnd } from '../../threads/runs.ts';
import { storedModels } from '../../usage/model-usage.ts';
import { turnTokens } from '../../usage/turn-usage.ts';
import type { SqliteSaver } from '../checkpoints/saver.ts';
import type { statements } from '../statements.ts';
import type { Interrupts } from '../threads/interrupts.ts';
import type { openInterrupts } from '../threads/open-interrupts.ts';
import type { SqliteWebhooks } from '../webhooks/webhooks.ts';

export interface RunEndParts {
  sql: ReturnType<typeof statements>;
  saver: SqliteSaver;
  pendings: Interrupts;
  openInterrupts: ReturnType<typeof openInterrupts>;
  /** The number of checkpoints to keep per thread, in addition to its head. */
  keep: number;
  insertEvents(lease: Lease, batch: EventBatch, at: number): boolean;
  webhooks: Pick<SqliteWebhooks, 'add'>;
  /** Counts the usage of the run. */
  count(end: RunEnd): void;
}

const TIDY_EVERY_MESSAGES = 16;

/** Returns a function that writes an end inside a transaction; it returns false if the lease is lost or the run has ended. */
export function runEnd({
  sql,
  saver,
  pendings,
  openInterrupts,
  keep,
  insertEvents,
  webhooks,
  count,
}: RunEndParts): (lease: Lease, end: RunEnd) => boolean {
  return function end(lease, ended) {
    const isEnded = write(lease, ended);
    // In the same transaction, so that the webhook of an ended run is never lost. A rolled back run no longer exists.
    if (isEnded && ended.run.request.protocol?.webhook) webhooks.add(ended.run.runId, ended.finishedAt);
    return isEnded;
  };

  function write(lease: Lease, ended: RunEnd): boolean {
    const { run, started, before, checkpoint, finishedAt, usage, agents, events, outcome } = ended;
    const { runId, threadKey } = run;
    const result = 'result' in outcome ? JSON.stringify(outcome.result) : null;
    const error = 'error' in outcome ? JSON.stringify(outcome.error) : null;
    const { inputTokens, outputTokens } = usage;
    const reports = JSON.stringify(agents);
    const { changes } = sql.endRun.run(
      outcome.status,
      finishedAt,
      inputTokens,
      outputTokens,
      storedModels(usage.models),
      reports,
      result,
      error,
      runId,
      lease.number,
    );
    if (changes === 0) return false;
    count(ended);
    for (const batch of events) insertEvents(lease, batch, finishedAt);
    const tokens = turnTokens({ usage, request: run.request });
    const added = insertMessages(run, outcome, finishedAt, tokens);
    if ('error' in outcome) {
      const failed = outcome.status === 'failed' ? 1 : 0;
      const isRolledBack = outcome.status === 'cancelled' && outcome.rollback;
      if (!run.request.protocol || isRolledBack) {
        undo(run, before);
        sql.noteFailure.run(failed, finishedAt, added, threadKey);
      } else if (started) {
        const head = checkpoint ?? sql.newestCheckpoint.get(threadKey, runId)?.id ?? before.head;
        const interrupt = openInterrupts(threadKey, head, { stoppedAt: [], ...waiting(run, before) });
        sql.keepProgress.run(failed, head, interrupt, UNKNOWN_MEMORY, run.workflow, finishedAt, threadKey);
      }
      if (isRolledBack) sql.deleteRun.run(runId);
      return true;
    }
    const messages = before.messageCount + added;
    const { interrupts, stoppedAt } = outcome.result;
    const pending = isInterrupted(outcome.result) ? { interrupts, stoppedAt } : null;
    const head = headAfter(run, checkpoint, before.head);
    const memory = JSON.stringify(outcome.memory);
    const interrupt = pending && JSON.stringify({ ...pending, ...waiting(run, before) });
    sql.advanceThread.run(head, interrupt, memory, run.workflow, messages, finishedAt, threadKey);
    if (!pending && !before.keepsAll && !run.request.protocol) tidy(threadKey, head, messages);
    return true;
  }

  /**
   * The newest checkpoint of the run. The head stays if a continued turn has created none, for example when the same agent
   * asks a second question, or when the turn had stopped after its last node.
   */
  function headAfter(
    { threadKey, runId, request }: RunEnd['run'],
    checkpoint: string | undefined,
    before: string | null,
  ): string {
    const newest = checkpoint ?? sql.newestCheckpoint.get(threadKey, runId)?.id;
    const isContinued = request.resume !== undefined || request.protocol !== undefined;
    const head = newest ?? (isContinued ? before : null);
    if (head === null) throw new Error('The ended run has no checkpoint');
    return head;
  }

  /** The state to restore if the turn is dropped. A run that answers an interrupt belongs to the interrupted turn. */
  function waiting({ threadKey, runId }: RunEnd['run'], { head, interrupt, memory }: RunEnd['before']) {
    const headBefore = interrupt ? interrupt.headBefore : head;
    const memoryBefore = interrupt ? interrupt.memoryBefore : memory;
    return { runId, headBefore, memoryBefore, writes: pendings.snapshot(threadKey, headBefore) };
  }

  /** Removes a failed or cancelled turn from the thread's memory. */
  function undo({ threadKey, runId }: RunEnd['run'], { interrupt }: RunEnd['before']): void {
    saver.prune(
      threadKey,
      sql.checkpointsOfRun.all(threadKey, runId).map(({ id }) => id),
    );
    if (interrupt) pendings.restore(threadKey);
  }

  /** Inserts question and answer, unless the turn waits for a person. Returns the number of inserted messages. */
  function insertMessages(
    run: RunEnd['run'],
    outcome: RunEnd['outcome'],
    at: number,
    tokens: number,
  ): number {
    // The messages of runs over LangGraph's protocol are in the graph's state.
    const answer = run.request.protocol ? undefined : answerIn(outcome);
    if (!answer) return 0;
    const common = [run.threadKey, run.runId, run.workflow, at, run.request.userId ?? null] as const;
    const { text, outputs, status } = answer;
    sql.insertMessage.run(...common, Bun.randomUUIDv7(), 'user', run.request.userPrompt, null, status, null);
    // A resumed turn keeps its message id for its final answer.
    const id = status === 'cancelled' && run.request.resume ? Bun.randomUUIDv7() : run.messageId;
    sql.insertMessage.run(...common, id, 'assistant', text, outputs, status, tokens);
    return 2;
  }

  /** Deletes task writes, which are only needed to continue from an unfinished checkpoint, and old checkpoints. */
  function tidy(thread: string, head: string, messages: number): void {
    saver.settle(thread);
    // Not after every turn, because finding unused values takes the same time for one checkpoint as for many.
    if (messages % TIDY_EVERY_MESSAGES !== 0) return;
    saver.prune(
      thread,
      sql.oldCheckpoints.all(thread, head, thread, keep).map(({ id }) => id),
    );
  }
}

/** The answer that a turn adds to the messages, or the partial one of a cancelled turn. */
function answerIn(outcome: RunEnd['outcome']) {
  if (outcome.status === 'succeeded') {
    const { agentResponse, outputs } = outcome.result;
    return { text: agentResponse, outputs: JSON.stringify(outputs), status: 'complete' };
  }
  if (outcome.status !== 'cancelled' || outcome.partial === '') return undefined;
  return { text: outcome.partial, outputs: null, status: 'cancelled' };
}
