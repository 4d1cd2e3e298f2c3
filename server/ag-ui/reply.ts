/** Streams a run as AG-UI events. */
import { type Event, EventType } from '@ag-ui/core';
import { asJson, chatMessageJson } from '../../graphs/adoption/message-json.ts';
import type { AnswerSources } from '../../runtime/journal/answer-text.ts';
import { answerText } from '../../runtime/journal/answer-text.ts';
import type { EndedRun } from '../../runtime/run/ending/ended-run.ts';
import type { RunStream } from '../../runtime/run/following/following.ts';
import type { ErrorBody } from '../../state/errors.ts';
import type { LogEntry } from '../../state/threads/events.ts';
import { isInterrupted } from '../../state/threads/runs.ts';
import { interruptsOf, runEvents } from './run-events.ts';

export interface FollowedRun extends RunStream<LogEntry> {
  /** The ids that the client uses. */
  ids: { threadId: string; runId: string };
  /** The id of the run in this service. */
  storedRunId: string;
  messageId: string;
  sources: AnswerSources;
  /** Whether the run resumes an interrupt. */
  resumes: boolean;
}

/** Yields batches of events, from RUN_STARTED to RUN_FINISHED or RUN_ERROR. */
export async function* eventsOf(run: FollowedRun): AsyncGenerator<Event[]> {
  const { ids, storedRunId, batches, sources, resumes, messageId } = run;
  const converter = runEvents(answerText(sources, { resumes }), { message: messageId, waiting: storedRunId });
  yield [{ type: EventType.RUN_STARTED, ...ids, metadata: { run_id: storedRunId } }];
  for await (const { events } of batches) {
    const converted: Event[] = [];
    for (const entry of events) {
      if (entry.kind === 'error') converted.push(...converter.close(), failureOf(entry.body, ids));
      else if (entry.kind === 'response') converted.push(...endOf(run, converter, await run.ended()));
      else converted.push(...converter.of(entry));
    }
    if (converted.length > 0) yield converted;
  }
}

/** A cancelled run finishes with the outcome `cancelled`. Other errors become RUN_ERROR. */
export function failureOf(error: ErrorBody, ids: FollowedRun['ids']): Event {
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
  { ids }: FollowedRun,
  converter: ReturnType<typeof runEvents>,
  { result, values, usage }: EndedRun,
): Event[] {
  const isWaiting = isInterrupted(result);
  const { inputTokens, outputTokens } = usage;
  return [
    ...converter.rest(result.agentResponse, isWaiting),
    ...converter.close(),
    ...snapshotOf(values),
    {
      ...{ type: EventType.RUN_FINISHED as const, ...ids },
      outcome: isWaiting ? { type: 'interrupt', interrupts: interruptsOf(result) } : { type: 'success' },
      usage: [{ inputTokens, outputTokens, ...(result.model !== '' && { model: result.model }) }],
    },
  ];
}

/** A snapshot of the graph's output, without the messages, which the client already has. */
function snapshotOf(values: unknown): Event[] {
  const state = asJson(values ?? null, chatMessageJson);
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return [];
  const { messages: _, ...snapshot } = state as Record<string, unknown>;
  return [{ type: EventType.STATE_SNAPSHOT, snapshot }];
}
