/** The end of a run as `end_v1` takes it. */
import { UNKNOWN_MEMORY } from '../../driver/rows.ts';
import { dayOf, usageRows } from '../../driver/usage-rows.ts';
import type { Lease } from '../../lease.ts';
import { storedModels } from '../../model-usage.ts';
import { type RunEnd, waits } from '../../runs.ts';
import { turnTokens } from '../../turn-usage.ts';
import { eventRows } from './event-log.ts';
import type { StatementPlace, UnitDocument } from './unit-documents.ts';

export interface EndOptions {
  keep: number;
  /** What the run has not written yet. */
  units: UnitDocument[];
  place: StatementPlace;
  /** Whether the run that comes next is to be claimed. */
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
  const pending = !hasFailed && waits(outcome.result);
  const isKept = pending || before.keepsAll || request.protocol !== undefined;
  const prunes = messageCount % TIDY_EVERY_MESSAGES === 0;
  const ownEvents: UnitDocument = {
    ...{ thread: threadKey, run_id: runId, lease: lease.number },
    rows: { events: eventRows(events, finishedAt) },
  };
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
    units: events.length > 0 ? [...units, ownEvents] : units,
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
    // A second question of the same agent makes no checkpoint, nor does a turn that goes on after its last node.
    goesOn: request.resume !== undefined || request.protocol !== undefined,
    interrupt: pending ? JSON.stringify(interruptOf(end)) : null,
    turnBefore: headBefore(before),
    tidy: hasFailed || isKept ? 'none' : prunes ? 'prune' : 'settle',
    more,
    ...(request.protocol?.webhook && { webhook: request.protocol.webhook, deliveryId: Bun.randomUUIDv7() }),
  };
}

/** What stands again when the turn is given up: one that answered an interrupt began with the turn of that. */
function headBefore({ head, interrupt }: RunEnd['before']): string | null {
  return interrupt ? interrupt.headBefore : head;
}

/** What the thread waits for after the run. */
export function interruptOf({ run, before, outcome }: RunEnd) {
  const { interrupts, stoppedAt } = 'result' in outcome ? outcome.result : { interrupts: [], stoppedAt: [] };
  const memoryBefore = before.interrupt ? before.interrupt.memoryBefore : before.memory;
  return { interrupts, stoppedAt, runId: run.runId, headBefore: headBefore(before), memoryBefore };
}

/** The turn's two messages; a turn that waits for a person has no answer yet. */
function messagesOf({ run, outcome, usage, finishedAt }: RunEnd) {
  // The messages of LangGraph's protocol are those of the state.
  const said = run.request.protocol ? undefined : saidIn(outcome);
  if (!said) return [];
  const { text, outputs, status } = said;
  const common = {
    ...{ run_id: run.runId, workflow: run.workflow, status, created_at: finishedAt },
    user_id: run.request.userId ?? null,
  };
  // The id of a turn that waits for a person belongs to the answer that it will have in the end.
  const id = status === 'cancelled' && run.request.resume ? Bun.randomUUIDv7() : run.messageId;
  const asked = { message_id: Bun.randomUUIDv7(), role: 'user', content: run.request.userPrompt };
  const answered = { message_id: id, role: 'assistant', content: text };
  const tokens = turnTokens({ usage, request: run.request });
  return [
    { ...common, ...asked, outputs: null, token_count: null },
    { ...common, ...answered, outputs, token_count: tokens },
  ];
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
