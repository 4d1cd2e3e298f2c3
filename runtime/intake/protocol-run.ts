/** Creates the stored run of a request of LangGraph's protocol. */
import { contextFor, questionIn } from '../../graphs/adoption/graph-input.ts';
import type { MultitaskStrategy, ProtocolRequest, RunRequest } from '../../state/threads/runs.ts';
import type { LimitsOptions } from '../options.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import { answerText } from './answer.ts';
import { type GraphRequest, ownConfigurable, recursionLimitOf } from './graph-request.ts';
import { type RequestedRun, requestedRun } from './new-run.ts';
import type { Turn, TurnRequest } from './turn.ts';

/** `input`: null continues from the thread's newest checkpoint, or from `checkpoint`. */
export interface ProtocolRunRequest
  extends Omit<GraphRequest, 'checkpointId' | 'conversation'>,
    ProtocolRequest {
  owner: string;
  threadId: string;
  workflow: string;
  /** The caller's identity for nodes, in keys of `configurable` that callers can't set. */
  identity: Record<string, unknown>;
  idempotency?: TurnRequest['idempotency'];
  /** The thread is deleted after the run. */
  temporary?: boolean;
  /** The delay in seconds before the run may start. */
  afterSeconds?: number | undefined;
  requestId: string;
  traceparent?: string | undefined;
}

/** An accepted run, with its stored form. */
export interface ProtocolTurn extends Turn {
  run: RequestedRun;
}

export interface RequestedProtocolRun {
  run: RequestedRun;
  strategy: MultitaskStrategy;
}

/** Throws INVALID_REQUEST or INVALID_WORKFLOW_INPUT, naming the field. */
export async function requestedProtocolRun(
  request: ProtocolRunRequest,
  workflow: RunnableWorkflow,
  limits: LimitsOptions,
): Promise<RequestedProtocolRun> {
  const { owner, threadId, requestId, traceparent, input, context, identity, strategy } = request;
  const { interruptBefore, interruptAfter, temporary } = request;
  await contextFor(workflow.graph, context);
  const userPrompt = questionOf(request);
  const call = {
    ...{ owner, threadId, requestId, traceparent, temporary, workflow: workflow.name, prompt: userPrompt },
  };
  const graph = { userPrompt, recursionLimit: recursionLimitOf(request.recursionLimit, workflow, limits) };
  const run = requestedRun({ ...call, strategy: 'enqueue' }, graph, workflow, limits);
  const runRequest: RunRequest = {
    ...run.request,
    ...(input !== undefined && { input }),
    ...(context !== undefined && { context }),
    ...(interruptBefore && { interruptBefore }),
    ...(interruptAfter && { interruptAfter }),
    configurable: { ...ownConfigurable(request.configurable), ...identity },
    protocol: protocolOf(request),
  };
  const { afterSeconds } = request;
  const notBefore = afterSeconds ? run.createdAt + afterSeconds * 1000 : undefined;
  return { run: { ...run, request: runRequest, notBefore }, strategy };
}

function protocolOf(request: ProtocolRunRequest): ProtocolRequest {
  const { assistantId, metadata, strategy, command, checkpoint, tags } = request;
  const { streamModes, streamSubgraphs, webhook } = request;
  return {
    ...{ assistantId, metadata, strategy, streamModes, streamSubgraphs },
    ...(command && { command }),
    ...(checkpoint && { checkpoint }),
    ...(tags && { tags }),
    ...(webhook !== undefined && { webhook }),
  };
}

/** The question as the conversation shows it; empty if the run only continues. */
function questionOf({ input, command }: ProtocolRunRequest): string {
  if (input !== undefined && input !== null) return questionIn(input);
  return command?.resume === undefined ? '' : answerText(command.resume);
}
