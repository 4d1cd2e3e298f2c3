/** Creates the stored run of a turn, with everything that another process needs to execute it. */
import type { NewRun, RunRequest } from '../../state/threads/runs.ts';
import type { LimitsOptions } from '../options.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import type { CheckedGraphRequest } from './graph-request.ts';
import { titleOf } from './title.ts';
import type { TurnRequest } from './turn.ts';

/** A run before its acceptance. */
export type RequestedRun = Omit<NewRun, 'idempotency'>;

export function requestedRun(
  request: TurnRequest,
  graph: CheckedGraphRequest,
  { name: workflow, settings }: RunnableWorkflow,
  limits: LimitsOptions,
): RequestedRun {
  const { owner, userId, topic, eventType, requestId, traceparent } = request;
  const longest = settings.run_seconds ?? limits.run_seconds;
  const deadlineSeconds = Math.min(longest, request.deadlineSeconds ?? longest);
  const tokenBudget = least(limits.run_tokens, request.tokenBudget);
  const runRequest: RunRequest = {
    ...graph,
    userId,
    topic,
    eventType,
    requestId,
    traceparent,
    deadlineSeconds,
    tokenBudget,
    supersedes: request.strategy === 'supersede' ? true : undefined,
    whole: request.whole ? true : undefined,
    temporary: request.temporary ? true : undefined,
    response: request.response,
  };
  return {
    runId: Bun.randomUUIDv7(),
    messageId: Bun.randomUUIDv7(),
    owner,
    threadId: request.threadId ?? Bun.randomUUIDv7(),
    title: titleOf(graph.userPrompt, graph.input),
    workflow,
    request: runRequest,
    createdAt: Date.now(),
    follows: request.follows,
  };
}

function least(...values: (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}
