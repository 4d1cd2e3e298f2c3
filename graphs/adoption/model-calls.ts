/** The model and tool calls inside of a graph, as LangChain's callbacks tell of them, whichever package the models are of. */
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { SkeinError } from '../../state/errors.ts';
import type { Place } from '../../state/events.ts';
import { emptyRecord } from '../../state/run-trace.ts';
import type { EndedCall } from '../../tools/models/call.ts';
import type { WireMessage } from '../../tools/models/endpoint.ts';
import { toProviderError } from '../../tools/models/provider-error.ts';
import { countTokens, estimateTokens, type TokenUsage } from '../../tools/models/tokens.ts';
import { type AgentRecord, agentRecord, recordIn } from '../authoring/agent-record.ts';
import { type RunContext, taskOf } from '../authoring/run-context.ts';
import { messageText } from './message-json.ts';
import { type FollowedTools, followTools } from './tool-calls.ts';

export interface FollowedModels {
  handler: BaseCallbackHandler;
  /** MODEL_CALL_FAILED where a model's call threw it; else the error itself. */
  failureOf(error: unknown): unknown;
}

interface Call {
  place: Place;
  record: AgentRecord;
  model: string;
  messages: WireMessage[];
  startedAt: number;
  firstTokenAt?: number;
  /** Nobody wants to see its text as it comes. */
  quiet: boolean;
}

type Metadata = Record<string, unknown>;

/** A message of LangChain, in the few parts that matter here. */
interface Answer {
  id?: string;
  content?: unknown;
  usage_metadata?: { input_tokens?: number; output_tokens?: number };
  response_metadata?: { model_name?: string; model?: string };
}

// LangGraph's own tags: what has one of them is not in its stream of messages either.
const QUIET = ['nostream', 'langsmith:nostream'];

export function followModels(run: RunContext): FollowedModels {
  const calls = new Map<string, Call>();
  /** What models threw, with the model's name. */
  const failures = new WeakMap<object, string>();
  /** The attempt in which LangGraph has a node, by task: it tries again where the node has a retry policy. */
  const attempts = new Map<string, number>();

  function start(runId: string, messages: WireMessage[], tags: string[] = [], metadata: Metadata = {}): void {
    // `chatModel()` reports, counts and refuses by itself.
    if (metadata.ls_provider === 'skein') return;
    const config = AsyncLocalStorageProviderSingleton.getRunnableConfig() as Parameters<typeof recordIn>[0] &
      Attempted;
    const { place } = taskOf({ metadata });
    noteAttempt(place, config?.executionInfo?.nodeAttempt);
    const whole = run.working.get(place.taskId ?? '') ?? emptyRecord();
    const record =
      (config && recordIn(config)) ?? agentRecord(run, whole, { agent: place.node ?? 'model', step: null });
    const model = String(metadata.ls_model_name ?? metadata.ls_provider ?? 'unknown');
    const quiet = QUIET.some((tag) => tags.includes(tag));
    calls.set(runId, { place, record, model, messages, startedAt: Date.now(), quiet });
    try {
      run.meter.check(estimateTokens(messages));
    } catch (error) {
      fail(runId, error);
      throw error;
    }
  }

  /** What was said in an earlier attempt is void. */
  function noteAttempt(place: Place, attempt = 1): void {
    const { taskId, node = '' } = place;
    if (taskId === undefined || attempt <= (attempts.get(taskId) ?? 1)) return;
    attempts.set(taskId, attempt);
    run.emit({ ...place, kind: 'task', body: { attempt: run.executions.attempt(node, place) + 1 } });
  }

  function token(runId: string, text: string, id: string | undefined): void {
    const call = calls.get(runId);
    if (!call || text === '') return;
    call.firstTokenAt ??= Date.now();
    if (call.quiet) return;
    const messageId = id ?? `run-${runId}`;
    run.said.add(messageId);
    run.emit({ ...call.place, kind: 'message', body: { delta: text, id: messageId } });
  }

  async function end(runId: string, answer: Answer | undefined, said: string): Promise<void> {
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
    if (typeof error === 'object' && error !== null) failures.set(error, call.model);
    const errorCode = error instanceof SkeinError ? error.code : 'MODEL_CALL_FAILED';
    call.record.called(endedCall(call, { inputTokens: 0, outputTokens: 0 }, { response: null, errorCode }));
  }

  const tools = followTools(run);
  return {
    handler: new GraphHandler({ start, token, end, fail, tools }),
    failureOf(error) {
      for (let cause = error; typeof cause === 'object' && cause !== null; cause = (cause as Error).cause) {
        if (cause instanceof SkeinError) return cause;
        const model = failures.get(cause);
        if (model !== undefined) return failedCall(model, cause);
      }
      return error;
    },
  };
}

/** Tells the status that the provider answered; what else went wrong stands in the log, as the cause. */
function failedCall(model: string, cause: object): SkeinError {
  const { status, message } = toProviderError(cause);
  const detail = `Model '${model}': ${status === undefined ? 'the call failed' : message}`;
  return new SkeinError('MODEL_CALL_FAILED', { detail, ...(status === undefined && { cause }) });
}

interface Attempted {
  executionInfo?: { nodeAttempt?: number };
}

interface Heard {
  start(runId: string, messages: WireMessage[], tags?: string[], metadata?: Metadata): void;
  token(runId: string, text: string, id: string | undefined): void;
  end(runId: string, answer: Answer | undefined, said: string): Promise<void>;
  fail(runId: string, error: unknown): void;
  tools: FollowedTools;
}

/** A class because LangChain asks for one. */
class GraphHandler extends BaseCallbackHandler {
  override name = 'skein';
  // A call that would pass the budget must not be made.
  override raiseError = true;
  override awaitHandlers = true;
  // LangGraph's stream tells of the nodes, for less.
  override ignoreChain = true;
  override ignoreRetriever = true;
  override ignoreAgent = false;
  // Chat models stream where somebody wants to hear their tokens.
  readonly lc_prefer_streaming = true;
  readonly #heard: Heard;

  constructor(heard: Heard) {
    super();
    this.#heard = heard;
  }

  override handleChatModelStart(
    ...[, messages, runId, , , tags, metadata]: Parameters<
      NonNullable<BaseCallbackHandler['handleChatModelStart']>
    >
  ) {
    const wire = messages
      .flat()
      .map((message) => ({ role: roleOf(message.getType()), content: messageText(message) }));
    this.#heard.start(runId, wire, tags, metadata);
  }

  override handleLLMStart(
    ...[, prompts, runId, , , tags, metadata]: Parameters<NonNullable<BaseCallbackHandler['handleLLMStart']>>
  ) {
    this.#heard.start(
      runId,
      prompts.map((content) => ({ role: 'user', content })),
      tags,
      metadata,
    );
  }

  override handleLLMNewToken(
    ...[text, , runId, , , fields]: Parameters<NonNullable<BaseCallbackHandler['handleLLMNewToken']>>
  ) {
    const { message } = (fields?.chunk ?? {}) as { message?: Answer };
    // A token may be given as blocks of content, and the text be empty then.
    this.#heard.token(runId, text || messageText(message ?? {}), message?.id);
  }

  override handleLLMEnd(...[output, runId]: Parameters<NonNullable<BaseCallbackHandler['handleLLMEnd']>>) {
    const generation = output.generations[0]?.[0] as { message?: Answer; text: string } | undefined;
    const { message } = generation ?? {};
    return this.#heard.end(runId, message, message ? messageText(message) : (generation?.text ?? ''));
  }

  override handleLLMError(...[error, runId]: Parameters<NonNullable<BaseCallbackHandler['handleLLMError']>>) {
    this.#heard.fail(runId, error);
  }

  override handleToolStart(
    ...[tool, input, runId, , , metadata, name, toolCallId]: Parameters<
      NonNullable<BaseCallbackHandler['handleToolStart']>
    >
  ) {
    const { id = [] } = tool as { id?: string[] };
    this.#heard.tools.start(runId, {
      tool: name ?? id.at(-1) ?? 'tool',
      input,
      toolCallId,
      place: taskOf({ metadata: metadata ?? {} }).place,
    });
  }

  override handleToolEnd(...[output, runId]: Parameters<NonNullable<BaseCallbackHandler['handleToolEnd']>>) {
    this.#heard.tools.end(runId, output);
  }

  override handleToolError(
    ...[error, runId]: Parameters<NonNullable<BaseCallbackHandler['handleToolError']>>
  ) {
    this.#heard.tools.fail(runId, error);
  }
}

const ROLES: Record<string, WireMessage['role']> = { system: 'system', ai: 'assistant', tool: 'tool' };

function roleOf(type: string): WireMessage['role'] {
  return ROLES[type] ?? 'user';
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
