/** The end of a run as the argument of `end_v1`. */

import type { Lease } from '../../cluster/lease.ts';
import { UNKNOWN_MEMORY } from '../../driver/rows.ts';
import { dayOf, usageRows } from '../../driver/usage-rows.ts';
import { isInterrupted, type RunEnd } from '../../threads/runs.ts';
import { storedModels } from '../../usage/model-usage.ts';
import { turnTokens } from '../../usage/turn-usage.ts';
import { eventRows } from './event-log.ts';
import type { StatementSequence, UnitDocument } from './unit-documents.ts';

export interface EndOptions {
  keep: number;
  /** The queued writes of the run. */
  units: UnitDocument[];
  place: StatementSequence;
  /** Whether to claim the next run. */
  more: boolean;
}

const TIDY_EVERY_MESSAGES = 16;

export type EndDocument = ReturnType<typeof endDocument>;

export function endDocument(lease: Lease, end: RunEnd, { keep, units, place, more }: EndOptions) {
  const { run, started, before, checkpoint, finishedAt, usage, agents, events, outcome } = end;
  const { runId, threadKey, workflow, request } = run;
  const messages = messagesOf(end);
  const messageCount = before.messageCount + messages.length;
  const hasFailed = 'error' in outcome;
  const pending = !hasFailed && isInterrupted(outcome.result);
  const keepsHistory = pending || before.keepsAll || request.protocol !== undefined;
  const prunes = messageCount % TIDY_EVERY_MESSAGES === 0;
  const owner = { thread: threadKey, run_id: runId, lease: lease.number };
  return {
    ...{
      runId,
      lease: lease.number,
      place,
      thread: threadKey,
      workflow,
      started,
      finishedAt,
      messages,
      messageCount,
      keep,
    },
    units: withEvents(units, { ...owner, rows: { events: eventRows(events, finishedAt) } }),
    status: outcome.status,
    ...{
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      models: storedModels(usage.models),
    },
    ...{ day: dayOf(finishedAt), used: usageRows(end) },
    agents: JSON.stringify(agents),
    result: hasFailed ? null : JSON.stringify(outcome.result),
    error: hasFailed ? JSON.stringify(outcome.error) : null,
    checkpoint: checkpoint ?? null,
    headBefore: before.head,
    memory: hasFailed ? UNKNOWN_MEMORY : JSON.stringify(outcome.memory),
    protocol: request.protocol !== undefined,
    rollback: outcome.status === 'cancelled' && outcome.rollback === true,
    answers: before.interrupt !== null,
    // A continued turn may end without a checkpoint, for example when the same agent asks a second question, or when the turn
    // had stopped after its last node.
    goesOn: request.resume !== undefined || request.protocol !== undefined,
    interrupt: pending ? JSON.stringify(interruptOf(end)) : null,
    turnBefore: headBefore(before),
    tidy: hasFailed || keepsHistory ? 'none' : prunes ? 'prune' : 'settle',
    more,
    ...(request.protocol?.webhook && { webhook: request.protocol.webhook, deliveryId: Bun.randomUUIDv7() }),
  };
}

/** Adds the last events to the last unit if it has none, because each unit costs several statements. */
function withEvents(units: UnitDocument[], events: UnitDocument): UnitDocument[] {
  const last = units.at(-1);
  if (!last || last.rows.events?.length) return [...units, events];
  return [...units.slice(0, -1), { ...last, rows: { ...last.rows, ...events.rows } }];
}

/** The head to restore if the turn is dropped. A run that answers an interrupt belongs to the interrupted turn. */
function headBefore({ head, interrupt }: RunEnd['before']): string | null {
  return interrupt ? interrupt.headBefore : head;
}

/** The thread's interrupt after the run. */
export function interruptOf({ run, before, outcome }: RunEnd) {
  const { interrupts, stoppedAt } = 'result' in outcome ? outcome.result : { interrupts: [], stoppedAt: [] };
  const memoryBefore = before.interrupt ? before.interrupt.memoryBefore : before.memory;
  return { interrupts, stoppedAt, runId: run.runId, headBefore: headBefore(before), memoryBefore };
}

/** The question and the answer; empty if the turn waits for a person. */
function messagesOf({ run, outcome, usage, finishedAt }: RunEnd) {
  // The messages of runs over LangGraph's protocol are in the graph's state.
  const answer = run.request.protocol ? undefined : answerIn(outcome);
  if (!answer) return [];
  const { text, outputs, status } = answer;
  const common = {
    ...{ run_id: run.runId, workflow: run.workflow, status, created_at: finishedAt },
    user_id: run.request.userId ?? null,
  };
  // A resumed turn keeps its message id for its final answer.
  const id = status === 'cancelled' && run.request.resume ? Bun.randomUUIDv7() : run.messageId;
  const userMessage = { message_id: Bun.randomUUIDv7(), role: 'user', content: run.request.userPrompt };
  const assistantMessage = { message_id: id, role: 'assistant', content: text };
  const tokens = turnTokens({ usage, request: run.request });
  return [
    { ...common, ...userMessage, outputs: null, token_count: null },
    { ...common, ...assistantMessage, outputs, token_count: tokens },
  ];
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
