/** The end of a run: its outcome, its messages, the thread's new head, and what is no longer needed. */

import { UNKNOWN_MEMORY } from '../../driver/rows.ts';
import type { EventBatch } from '../../events.ts';
import type { Lease } from '../../lease.ts';
import { storedModels } from '../../model-usage.ts';
import { type RunEnd, waits } from '../../runs.ts';
import { turnTokens } from '../../turn-usage.ts';
import type { SqliteSaver } from '../checkpoints/saver.ts';
import type { statements } from '../statements.ts';
import type { Interrupts } from '../threads/interrupts.ts';
import type { stillAsked } from '../threads/still-asked.ts';
import type { SqliteWebhooks } from '../webhooks/webhooks.ts';

export interface RunEndParts {
  sql: ReturnType<typeof statements>;
  saver: SqliteSaver;
  pendings: Interrupts;
  stillAsked: ReturnType<typeof stillAsked>;
  /** How many checkpoints of a thread are kept beside its head. */
  keep: number;
  insertEvents(lease: Lease, batch: EventBatch, at: number): boolean;
  webhooks: Pick<SqliteWebhooks, 'add'>;
  /** Counts what the run has used. */
  count(end: RunEnd): void;
}

const TIDY_EVERY_MESSAGES = 16;

/** Gives what writes an end, inside a transaction of the caller, unless the lease is lost or the run has ended. */
export function runEnd({
  sql,
  saver,
  pendings,
  stillAsked,
  keep,
  insertEvents,
  webhooks,
  count,
}: RunEndParts): (lease: Lease, end: RunEnd) => boolean {
  return function end(lease, ended) {
    const isEnded = write(lease, ended);
    // Of the same transaction, so that a run with a webhook never ends without it. A run that was rolled back is gone.
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
        const asked = stillAsked(threadKey, head, { stoppedAt: [], ...waiting(run, before) });
        sql.keepProgress.run(failed, head, asked, UNKNOWN_MEMORY, run.workflow, finishedAt, threadKey);
      }
      if (isRolledBack) sql.deleteRun.run(runId);
      return true;
    }
    const messages = before.messageCount + added;
    const { interrupts, stoppedAt } = outcome.result;
    const pending = waits(outcome.result) ? { interrupts, stoppedAt } : null;
    const head = headAfter(run, checkpoint, before.head);
    const memory = JSON.stringify(outcome.memory);
    const interrupt = pending && JSON.stringify({ ...pending, ...waiting(run, before) });
    sql.advanceThread.run(head, interrupt, memory, run.workflow, messages, finishedAt, threadKey);
    if (!pending && !before.keepsAll && !run.request.protocol) tidy(threadKey, head, messages);
    return true;
  }

  /**
   * The newest checkpoint of the run. A second question of the same agent makes none, nor does a turn that goes on after
   * a stop behind its last node: then the head stays.
   */
  function headAfter(
    { threadKey, runId, request }: RunEnd['run'],
    checkpoint: string | undefined,
    before: string | null,
  ): string {
    const newest = checkpoint ?? sql.newestCheckpoint.get(threadKey, runId)?.id;
    const goesOn = request.resume !== undefined || request.protocol !== undefined;
    const head = newest ?? (goesOn ? before : null);
    if (head === null) throw new Error('the run that ends has no checkpoint');
    return head;
  }

  /** What stands again when the turn is given up: one that answered an interrupt began with the turn of that. */
  function waiting({ threadKey, runId }: RunEnd['run'], { head, interrupt, memory }: RunEnd['before']) {
    const headBefore = interrupt ? interrupt.headBefore : head;
    const memoryBefore = interrupt ? interrupt.memoryBefore : memory;
    return { runId, headBefore, memoryBefore, writes: pendings.snapshot(threadKey, headBefore) };
  }

  /** A turn that came to nothing leaves nothing in the thread's memory. */
  function undo({ threadKey, runId }: RunEnd['run'], { interrupt }: RunEnd['before']): void {
    saver.prune(
      threadKey,
      sql.checkpointsOfRun.all(threadKey, runId).map(({ id }) => id),
    );
    if (interrupt) pendings.restore(threadKey);
  }

  /** The turn's two messages; a turn that waits for a person has no answer yet. Gives how many were written. */
  function insertMessages(
    run: RunEnd['run'],
    outcome: RunEnd['outcome'],
    at: number,
    tokens: number,
  ): number {
    // The messages of LangGraph's protocol are those of the state.
    const said = run.request.protocol ? undefined : saidIn(outcome);
    if (!said) return 0;
    const common = [run.threadKey, run.runId, run.workflow, at, run.request.userId ?? null] as const;
    const { text, outputs, status } = said;
    sql.insertMessage.run(...common, Bun.randomUUIDv7(), 'user', run.request.userPrompt, null, status, null);
    // The id of a turn that waits for a person belongs to the answer that it will have in the end.
    const id = status === 'cancelled' && run.request.resume ? Bun.randomUUIDv7() : run.messageId;
    sql.insertMessage.run(...common, id, 'assistant', text, outputs, status, tokens);
    return 2;
  }

  /** Task writes serve to go on from a checkpoint that is not finished; old checkpoints go by the policy. */
  function tidy(thread: string, head: string, messages: number): void {
    saver.settle(thread);
    // Now and then, because finding values that nothing names any more costs as much for one checkpoint as for many.
    if (messages % TIDY_EVERY_MESSAGES !== 0) return;
    saver.prune(
      thread,
      sql.oldCheckpoints.all(thread, head, thread, keep).map(({ id }) => id),
    );
  }
}

/** What a turn adds to the messages: its answer, or what was said before it was cancelled. */
function saidIn(outcome: RunEnd['outcome']) {
  if (outcome.status === 'succeeded') {
    const { agentResponse, outputs } = outcome.result;
    return { text: agentResponse, outputs: JSON.stringify(outputs), status: 'complete' };
  }
  if (outcome.status !== 'cancelled' || outcome.partial === '') return undefined;
  return { text: outcome.partial, outputs: null, status: 'cancelled' };
}
