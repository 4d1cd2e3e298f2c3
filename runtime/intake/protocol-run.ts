/** Accepts a run that LangGraph's protocol asks for. */
import { contextFor, questionIn } from '../../graphs/adoption/graph-input.ts';
import type { MultitaskStrategy, ProtocolRequest, RunRequest } from '../../state/runs.ts';
import type { LimitsOptions } from '../options.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import { answerText } from './answer.ts';
import { type GraphRequest, ownConfigurable, recursionLimitOf } from './graph-request.ts';
import { type AskedRun, askedRun } from './new-run.ts';
import type { Turn, TurnRequest } from './turn.ts';

/** `input`: null goes on from the thread's newest checkpoint, or the one that is named. */
export interface ProtocolRunRequest
  extends Omit<GraphRequest, 'checkpointId' | 'conversation'>,
    ProtocolRequest {
  owner: string;
  threadId: string;
  workflow: string;
  /** What nodes find of the caller in `configurable`, which no caller can set. */
  identity: Record<string, unknown>;
  idempotency?: TurnRequest['idempotency'];
  /** Its thread goes with it. */
  temporary?: boolean;
  /** Seconds after which it may start. */
  afterSeconds?: number | undefined;
  requestId: string;
  traceparent?: string | undefined;
}

/** A run that was accepted, with what is stored of it. */
export interface ProtocolTurn extends Turn {
  run: AskedRun;
}

export interface AskedProtocolRun {
  run: AskedRun;
  strategy: MultitaskStrategy;
}

/** Throws INVALID_REQUEST or INVALID_WORKFLOW_INPUT, naming the field. */
export async function askedProtocolRun(
  request: ProtocolRunRequest,
  workflow: RunnableWorkflow,
  limits: LimitsOptions,
): Promise<AskedProtocolRun> {
  const { owner, threadId, requestId, traceparent, input, context, identity, strategy } = request;
  const { interruptBefore, interruptAfter, temporary } = request;
  await contextFor(workflow.graph, context);
  const userPrompt = questionOf(request);
  const call = {
    ...{ owner, threadId, requestId, traceparent, temporary, workflow: workflow.name, prompt: userPrompt },
  };
  const graph = { userPrompt, recursionLimit: recursionLimitOf(request.recursionLimit, workflow, limits) };
  const run = askedRun({ ...call, strategy: 'enqueue' }, graph, workflow, limits);
  const asked: RunRequest = {
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
  return { run: { ...run, request: asked, notBefore }, strategy };
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

/** What people see as the question: nothing where the run only goes on. */
function questionOf({ input, command }: ProtocolRunRequest): string {
  if (input !== undefined && input !== null) return questionIn(input);
  return command?.resume === undefined ? '' : answerText(command.resume);
}
