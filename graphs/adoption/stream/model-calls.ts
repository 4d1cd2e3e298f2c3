/** The model and tool calls inside a graph, as LangChain's callbacks report them, whichever package the models come from. */
import { AIMessageChunk } from '@langchain/core/messages';
import { causesOf, SkeinError } from '../../../state/errors.ts';
import type { Place } from '../../../state/events.ts';
import { emptyRecord } from '../../../state/run-trace.ts';
import type { EndedCall } from '../../../tools/models/call.ts';
import type { WireMessage } from '../../../tools/models/endpoint.ts';
import { countTokens, estimateTokens, type TokenUsage } from '../../../tools/models/tokens.ts';
import { agentRecord } from '../../authoring/agent-record.ts';
import { type Calling, type RunContext, taskOf, workOf } from '../../authoring/run-context.ts';
import { CallGuard } from './call-guard.ts';
import { failedCall } from './failed-call.ts';
import { type Answer, GraphHandler, type Metadata } from './graph-handler.ts';
import { messagePiece } from './message-piece.ts';
import type { Quiet, StartedChain } from './quiet-callbacks.ts';
import { forgetTexts, noteText } from './said-texts.ts';
import { followTools } from './tool-calls.ts';

export interface FollowedModels {
  /** What the graph is invoked with: see `callbacksFor`. */
  quiet: Quiet;
  /** MODEL_CALL_FAILED if a model's call threw the error; otherwise the error itself. */
  failureOf(error: unknown): unknown;
}

interface Call {
  place: Place;
  record: Pick<Calling, 'called'>;
  model: string;
  messages: WireMessage[];
  startedAt: number;
  firstTokenAt?: number;
  /** Of the message that it makes. */
  messageId?: string;
  /** What is known of it, until its first token. */
  metadata: Metadata | undefined;
  /** Its text isn't streamed to anybody. */
  quiet: boolean;
}

// LangGraph's own tags: calls with one of them are left out of its stream of messages, too.
const QUIET = ['nostream', 'langsmith:nostream'];
// LangGraph's own tag for what it calls as a node.
const NODE_TAG = 'graph:step:';

export interface FollowModels {
  /** Whether model tokens are wanted; if so, models stream. */
  tokens: boolean;
  /** The agent that makes the calls; without it, they belong to their node. */
  by?: Calling;
  /** Whether only the calls of nodes that report nothing of themselves are followed. */
  workingOnly?: boolean;
}

export function followModels(
  run: RunContext,
  { tokens, by, workingOnly = false }: FollowModels,
): FollowedModels {
  const calls = new Map<string, Call>();
  /** Calls whose text is streamed, including those of `chatModel()`. */
  const speaking = new Map<string, Place>();
  const hasSpoken = new Set<string>();
  const failures = new WeakSet<object>();
  /** How often LangGraph has called a node, by task. */
  const attempts = new Map<string, number>();

  function start(runId: string, messages: WireMessage[], tags: string[] = [], metadata: Metadata = {}): void {
    if (speaking.has(runId) || calls.has(runId)) return;
    if (skips(taskOf({ metadata }).place)) return;
    const quiet = QUIET.some((tag) => tags.includes(tag));
    if (!quiet) speaking.set(runId, taskOf({ metadata }).place);
    // `chatModel()` reports, counts and refuses by itself.
    if (metadata.ls_provider === 'skein') return;
    const { place } = taskOf({ metadata });
    const whole = run.working.get(place.taskId ?? '') ?? emptyRecord();
    const record = by ?? agentRecord(run, whole, { agent: place.node ?? 'model', step: null });
    const model = String(metadata.ls_model_name ?? metadata.ls_provider ?? 'unknown');
    const about = { ...(tags.length > 0 && { tags }), ...metadata };
    calls.set(runId, { place, record, model, messages, startedAt: Date.now(), quiet, metadata: about });
    try {
      run.meter.check(estimateTokens(messages));
    } catch (error) {
      fail(runId, error);
      throw error;
    }
  }

  /** LangGraph calls a node again if it has a retry policy: what the node said before is void. */
  function started({ tags, metadata }: StartedChain): void {
    if (!tags.some((tag) => tag.startsWith(NODE_TAG))) return;
    const { taskId, ...place } = taskOf({ metadata }).place;
    if (taskId === undefined) return;
    const attempt = (attempts.get(taskId) ?? 0) + 1;
    attempts.set(taskId, attempt);
    if (attempt === 1) return;
    forgetTexts(run.said, taskId);
    const at = { ...place, taskId };
    const number = run.executions.attempt(place.node ?? '', at) + 1;
    run.emit({ ...at, kind: 'task', body: { attempt: number } });
  }

  function token(runId: string, text: string, message: Answer | undefined): void {
    const call = calls.get(runId);
    if (text !== '') hasSpoken.add(runId);
    if (!call || (text === '' && !run.stream?.messages)) return;
    call.firstTokenAt ??= Date.now();
    if (call.quiet) return;
    // LangChain names pieces that have no id after the call, such as the last one of OpenAI, which has the usage.
    const unnamed = `run-${runId}`;
    const given = message?.id ?? unnamed;
    const messageId = given === unnamed ? (call.messageId ?? unnamed) : given;
    call.messageId ??= messageId;
    run.said.add(messageId);
    const who = by ? workOf(by.agent, call.place) : {};
    const said = message ?? new AIMessageChunk({ content: text });
    const piece = run.stream?.messages && messagePiece(said, text, call.metadata);
    call.metadata = undefined;
    run.emit({ ...call.place, kind: 'message', body: { ...who, delta: text, id: messageId, ...piece } });
  }

  async function end(runId: string, answer: Answer | undefined, said: string): Promise<void> {
    const place = speaking.get(runId);
    speaking.delete(runId);
    if (place && hasSpoken.delete(runId)) noteText(run.said, place, said);
    const call = calls.get(runId);
    if (!call) return;
    calls.delete(runId);
    const { model_name, model = model_name } = answer?.response_metadata ?? {};
    call.model = model ?? call.model;
    const usage = usageOf(answer) ?? (await countTokens(call.messages, said));
    run.meter.add(usage);
    run.usedModel(call.model);
    call.record.called(endedCall(call, usage, { response: said }));
  }

  function fail(runId: string, error: unknown): void {
    const call = calls.get(runId);
    if (!call) return;
    calls.delete(runId);
    if (typeof error === 'object' && error !== null) failures.add(error);
    const errorCode = error instanceof SkeinError ? error.code : 'MODEL_CALL_FAILED';
    call.record.called(endedCall(call, { inputTokens: 0, outputTokens: 0 }, { response: null, errorCode }));
  }

  function skips({ ns = [], taskId = '' }: Place): boolean {
    const ids = [...ns.map((task) => task.slice(task.lastIndexOf(':') + 1)), taskId];
    return workingOnly && !ids.some((id) => run.working.has(id));
  }

  const tools = followTools(run, { by, skips });
  const handler = new GraphHandler({ started, start, token, end, fail, tools, tokens });
  return {
    quiet: { handlers: [new CallGuard(start), handler], started },
    failureOf(error) {
      for (const cause of causesOf(error)) {
        if (cause instanceof SkeinError) return cause;
        if (failures.has(cause)) return failedCall(cause);
      }
      return error;
    },
  };
}

function usageOf(answer: Answer | undefined): TokenUsage | undefined {
  const { input_tokens, output_tokens } = answer?.usage_metadata ?? {};
  if (input_tokens === undefined || output_tokens === undefined) return undefined;
  return { inputTokens: input_tokens, outputTokens: output_tokens };
}

function endedCall(
  { model, messages, startedAt, firstTokenAt }: Call,
  usage: TokenUsage,
  outcome: Pick<EndedCall, 'response' | 'errorCode'>,
): EndedCall {
  return {
    ...{ task: 'chat', model, messages, startedAt, attempts: 1, usage },
    durationMs: Date.now() - startedAt,
    firstTokenMs: firstTokenAt === undefined ? null : firstTokenAt - startedAt,
    ...outcome,
  };
}
