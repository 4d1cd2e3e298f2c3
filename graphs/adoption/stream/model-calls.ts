/** Reports the model and tool calls inside a graph from LangChain's callbacks, for models of any package. */
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { causesOf, SkeinError } from '../../../state/errors.ts';
import type { GraphLocation } from '../../../state/threads/events.ts';
import { emptyRecord } from '../../../state/threads/run-trace.ts';
import type { EndedCall } from '../../../tools/models/call/call.ts';
import type { Reserved } from '../../../tools/models/usage/meter.ts';
import { usageAt } from '../../../tools/models/usage/price.ts';
import { countTokens, estimateTokens } from '../../../tools/models/usage/tokens.ts';
import { agentRecord } from '../../authoring/run/agent-record.ts';
import { type Calling, type RunContext, taskOf, workOf } from '../../authoring/run/run-context.ts';
import { CallGuard } from './call-guard.ts';
import { failedCall } from './failed-call.ts';
import { type Call, cutOff, endedCall, modelRequest, usageOf } from './followed-call.ts';
import {
  type Answer,
  GraphHandler,
  type Metadata,
  type SentMessages,
  sentMessages,
} from './graph-handler.ts';
import { messagePiece } from './message-piece.ts';
import type { Quiet, StartedChain } from './quiet-callbacks.ts';
import { reasoningIn } from './reasoning.ts';
import { forgetTexts, noteText } from './reported-texts.ts';
import { followTools } from './tool-calls.ts';

export interface FollowedModels {
  /** The callbacks with which to invoke the graph: see `callbacksFor`. */
  quiet: Quiet;
  /** MODEL_CALL_FAILED if a model's call threw the error; otherwise the error itself. */
  failureOf(error: unknown): unknown;
}

// LangGraph's own tags: its stream of messages also skips calls with one of them.
const QUIET = ['nostream', 'langsmith:nostream'];
// LangGraph's own tag for node calls.
const NODE_TAG = 'graph:step:';

export interface FollowModels {
  /** Whether model tokens are requested; if so, models stream. */
  tokens: boolean;
  /** The agent that makes the calls; without it, they belong to their node. */
  by?: Calling;
  /** Follow only calls of nodes that report nothing themselves. */
  workingOnly?: boolean;
}

export function followModels(
  run: RunContext,
  { tokens, by, workingOnly = false }: FollowModels,
): FollowedModels {
  const calls = new Map<string, Call>();
  /** Calls whose text is streamed, including those of `chatModel()`. */
  const speaking = new Map<string, GraphLocation>();
  const hasSpoken = new Set<string>();
  const failures = new WeakSet<object>();
  /** Reservations for calls that have not started, by their messages. */
  const admitted = new WeakMap<BaseMessage[], Reserved>();
  /** Number of LangGraph's attempts at a node, by task. */
  const attempts = new Map<string, number>();

  /** Undefined for a call that is not followed: calls of `chatModel()` are reported, counted and limited there. */
  function callOf(
    { messages, group, parameters }: SentMessages,
    tags: string[],
    metadata: Metadata,
  ): Call | undefined {
    const { location } = taskOf({ metadata });
    if (metadata.ls_provider === 'skein' || skips(location)) return undefined;
    const whole = run.working.get(location.taskId ?? '') ?? emptyRecord();
    const record = by ?? agentRecord(run, whole, { agent: location.node ?? 'model', step: null });
    const model = String(metadata.ls_model_name ?? metadata.ls_provider ?? 'unknown');
    const most = metadata.ls_max_tokens;
    return {
      ...{ location, record, model, messages, group, parameters, saidBytes: 0, startedAt: Date.now() },
      maxTokens: typeof most === 'number' ? most : undefined,
      quiet: QUIET.some((tag) => tags.includes(tag)),
      metadata: { ...(tags.length > 0 && { tags }), ...metadata },
    };
  }

  /** Unlike the errors of a handler, LangChain propagates the errors of this function without printing them. */
  async function admit(groups: BaseMessage[][], { tags, metadata }: StartedChain): Promise<void> {
    for (const group of groups) {
      const call = callOf(sentMessages([group]), tags, metadata);
      if (!call) continue;
      try {
        admitted.set(group, await reserved(call));
      } catch (error) {
        failed(call, error);
        throw error;
      }
    }
  }

  function start(runId: string, sent: SentMessages, tags: string[] = [], metadata: Metadata = {}): void {
    if (speaking.has(runId) || calls.has(runId)) return;
    const { location } = taskOf({ metadata });
    if (skips(location)) return;
    if (!QUIET.some((tag) => tags.includes(tag))) speaking.set(runId, location);
    const call = callOf(sent, tags, metadata);
    if (!call) return;
    call.reserved = sent.group && admitted.get(sent.group);
    calls.set(runId, call);
    run.spans?.callStarted(runId, modelRequest(call, metadata));
    try {
      if (!call.reserved) run.meter.check(estimateTokens(call.messages));
    } catch (error) {
      fail(runId, error);
      throw error;
    }
  }

  /** For a call that was not admitted: by another copy of LangChain, with other callbacks, or with a plain prompt. */
  async function reserve(runId: string): Promise<void> {
    const call = calls.get(runId);
    if (!call || call.reserved) return;
    try {
      call.reserved = await reserved(call);
    } catch (error) {
      fail(runId, error);
      throw error;
    }
  }

  function reserved({ model, messages, maxTokens }: Call): Promise<Reserved> {
    const planned = { model, price: run.priceOf(model), inputTokens: estimateTokens(messages), maxTokens };
    return run.meter.reserve(planned, run.signal);
  }

  /** If LangGraph retries a node, the earlier output of the node is discarded. */
  function started({ tags, metadata }: StartedChain): void {
    if (!tags.some((tag) => tag.startsWith(NODE_TAG))) return;
    const { taskId, ...location } = taskOf({ metadata }).location;
    if (taskId === undefined) return;
    const attempt = (attempts.get(taskId) ?? 0) + 1;
    attempts.set(taskId, attempt);
    if (attempt === 1) return;
    forgetTexts(run.reported, taskId);
    const at = { ...location, taskId };
    const number = run.executions.attempt(location.node ?? '', at) + 1;
    run.emit({ ...at, kind: 'task', body: { attempt: number } });
  }

  function token(runId: string, text: string, message: Answer | undefined): void {
    const call = calls.get(runId);
    if (text !== '') hasSpoken.add(runId);
    const thought = call && !call.quiet ? reasoningIn(message) : '';
    if (!call || (text === '' && thought === '' && !run.stream?.messages)) return;
    call.saidBytes += Buffer.byteLength(text) + Buffer.byteLength(thought);
    call.firstTokenAt ??= Date.now();
    if (call.quiet) return;
    // LangChain assigns ids late to chunks that have none, such as OpenAI's last chunk, which contains the usage.
    const unnamed = `run-${runId}`;
    const given = message?.id ?? unnamed;
    const messageId = given === unnamed ? (call.messageId ?? unnamed) : given;
    call.messageId ??= messageId;
    run.reported.add(messageId);
    const who = by ? workOf(by.agent, call.location) : {};
    if (thought !== '')
      run.emit({ ...call.location, kind: 'reasoning', body: { ...who, delta: thought, id: messageId } });
    if (text === '' && !run.stream?.messages) return;
    const chunk = message ?? new AIMessageChunk({ content: text });
    const piece = run.stream?.messages && messagePiece(chunk, text, call.metadata);
    call.metadata = undefined;
    run.emit({ ...call.location, kind: 'message', body: { ...who, delta: text, id: messageId, ...piece } });
  }

  async function end(runId: string, answer: Answer | undefined, text: string): Promise<void> {
    const location = speaking.get(runId);
    speaking.delete(runId);
    if (location && hasSpoken.delete(runId)) noteText(run.reported, location, text);
    const call = calls.get(runId);
    if (!call) return;
    calls.delete(runId);
    const { model_name, model: answered = model_name ?? call.model } = answer?.response_metadata ?? {};
    const price = run.priceOf(answered) ?? run.priceOf(call.model);
    const usage = usageAt(price, usageOf(answer) ?? (await countTokens(call.messages, text)));
    call.model = answered;
    call.reserved?.settle({ ...usage, model: answered });
    run.usedModel(answered);
    reportEnd(call, endedCall(call, usage, { response: text }), runId);
  }

  function fail(runId: string, error: unknown): void {
    const call = calls.get(runId);
    if (!call) return;
    calls.delete(runId);
    failed(call, error, runId);
  }

  function failed(call: Call, error: unknown, runId?: string): void {
    call.reserved?.settle(cutOff(call, run.priceOf(call.model)));
    if (typeof error === 'object' && error !== null) failures.add(error);
    const { code: errorCode, detail: errorDetail } =
      error instanceof SkeinError ? error : failedCall(error instanceof Error ? error : {});
    const usage = { inputTokens: 0, outputTokens: 0 };
    reportEnd(call, endedCall(call, usage, { response: null, errorCode, errorDetail }), runId);
  }

  /** `runId` is LangChain's id of a started call. */
  function reportEnd({ record }: Call, ended: EndedCall, runId?: string): void {
    if (runId !== undefined) run.spans?.callEnded(runId, ended);
    record.called(ended);
  }

  function skips({ ns = [], taskId = '' }: GraphLocation): boolean {
    const ids = [...ns.map((task) => task.slice(task.lastIndexOf(':') + 1)), taskId];
    return workingOnly && !ids.some((id) => run.working.has(id));
  }

  const tools = followTools(run, { by, skips });
  const handler = new GraphHandler({ started, start, reserve, token, end, fail, tools, tokens });
  return {
    quiet: { handlers: [new CallGuard(start), handler], started, admit },
    failureOf(error) {
      for (const cause of causesOf(error)) {
        if (cause instanceof SkeinError) return cause;
        if (failures.has(cause)) return failedCall(cause);
      }
      return error;
    },
  };
}
