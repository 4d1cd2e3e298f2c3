/** The events of a run, as AG-UI's clients read them. */
import { type Event, EventType } from '@ag-ui/core';
import { asJson, chatMessageJson } from '../../graphs/adoption/message-json.ts';
import type { Speakers } from '../../runtime/journal/answer-text.ts';
import { answerText } from '../../runtime/journal/answer-text.ts';
import type { EndedRun } from '../../runtime/run/ended-run.ts';
import type { Followed } from '../../runtime/runtime.ts';
import type { ErrorBody } from '../../state/errors.ts';
import type { LogEntry } from '../../state/events.ts';
import { waits } from '../../state/runs.ts';
import { interruptsOf, runEvents } from './run-events.ts';

export interface Said extends Followed<LogEntry> {
  /** As the client names them. */
  ids: { threadId: string; runId: string };
  ownRunId: string;
  messageId: string;
  speakers: Speakers;
  /** The run answers an interrupt. */
  resumes: boolean;
}

export async function* eventsOf(run: Said): AsyncGenerator<Event[]> {
  const { ids, ownRunId, batches, speakers, resumes, messageId } = run;
  const shown = runEvents(answerText(speakers, { resumes }), messageId);
  yield [{ type: EventType.RUN_STARTED, ...ids, metadata: { run_id: ownRunId } }];
  for await (const { events } of batches) {
    const made: Event[] = [];
    for (const entry of events) {
      if (entry.kind === 'error') made.push(...shown.close(), failureOf(entry.body, ids));
      else if (entry.kind === 'response') made.push(...endOf(run, shown, await run.ended()));
      else made.push(...shown.of(entry));
    }
    if (made.length > 0) yield made;
  }
}

export function failureOf(error: ErrorBody, ids: Said['ids']): Event {
  const { message, detail, error_code: code } = error;
  if (code === 'RUN_CANCELLED')
    return { type: EventType.RUN_FINISHED, ...ids, outcome: { type: 'cancelled' } };
  return {
    type: EventType.RUN_ERROR,
    message: detail === undefined ? message : `${message}: ${detail}`,
    code,
  };
}

function endOf(
  { ids }: Said,
  shown: ReturnType<typeof runEvents>,
  { result, values, usage }: EndedRun,
): Event[] {
  const isWaiting = waits(result);
  const { inputTokens, outputTokens } = usage;
  return [
    ...(isWaiting ? [] : shown.rest(result.agentResponse)),
    ...shown.close(),
    ...snapshotOf(values),
    {
      ...{ type: EventType.RUN_FINISHED as const, ...ids },
      outcome: isWaiting ? { type: 'interrupt', interrupts: interruptsOf(result) } : { type: 'success' },
      usage: [{ inputTokens, outputTokens, ...(result.model !== '' && { model: result.model }) }],
    },
  ];
}

/** The graph's output without its messages, which the client has. */
function snapshotOf(values: unknown): Event[] {
  const state = asJson(values ?? null, chatMessageJson);
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return [];
  const { messages: _, ...snapshot } = state as Record<string, unknown>;
  return [{ type: EventType.STATE_SNAPSHOT, snapshot }];
}
