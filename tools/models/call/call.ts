/** A model call: its request, its cost, and the fallback models if the first one fails. */
import { addedCosts } from '../../../state/costs.ts';
import { type ErrorCode, SkeinError } from '../../../state/errors.ts';
import type { Usage } from '../../../state/threads/runs.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import type { AnswerPart } from '../answer/answer.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { Completion, CompletionRequest, Endpoint, WireMessage } from '../provider/endpoint.ts';
import type { TokenMeter } from '../usage/meter.ts';
import { usageAt } from '../usage/price.ts';
import { estimateTextTokens, estimateTokens, type TokenUsage, tokensInBytes } from '../usage/tokens.ts';
import { callWithRetries } from './attempts.ts';
import type { Breaker } from './breaker.ts';

/** A model with its breaker. A chain is a model, followed by its fallbacks in order. */
export interface GuardedEndpoint {
  endpoint: Endpoint;
  breaker: Breaker;
  /** Why its last call failed, if an operator must act: a rejected key, or an address without a server. */
  problem?: string | undefined;
}

export interface CallContext {
  /** Aborts when the run is cancelled or exceeds its deadline. */
  signal: AbortSignal;
  meter: TokenMeter;
  /** The W3C trace that the call belongs to. */
  traceparent?: string | undefined;
  onToken?: (text: string) => void;
  /** The model's reasoning as it arrives, if the provider sends it. */
  onReasoning?: (text: string) => void;
  /** Text and tool calls, as they arrive. */
  onPart?: (part: AnswerPart) => void;
  /** Parts that were passed on cannot be taken back, so an attempt that fails after that is not retried. */
  lasting?: boolean;
  /** Called if an attempt failed after parts were passed on. Attempt number `attempt` starts over. */
  onRestart?: (attempt: number) => void;
  /** Called when the call has ended, successfully or not. */
  onEnd?: (call: EndedCall) => void;
  /** If set, the call is reported as a span; see `traced-call.ts`. */
  tracing?: Tracing | undefined;
}

/** What is known about a call when it ends. */
export interface EndedCall {
  task: string;
  /** The model that answered, or the first model of the chain if none did. */
  model: string;
  messages: WireMessage[];
  /** The messages that were sent, if they contain more than text. */
  sent?: readonly object[] | undefined;
  /** The other fields of the request; undefined if they are unknown. */
  parameters?: ModelParameters;
  /** The answer; null if there is no usable answer. */
  response: string | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
  /** The time from the start of the call to the first token; null if there was no text. */
  firstTokenMs: number | null;
  /** The number of requests to providers. */
  attempts: number;
  /** The usage of all attempts. */
  usage: Usage;
  errorCode?: ErrorCode;
  /** Details of the failure besides its code, such as the provider's message. */
  errorDetail?: string | undefined;
}

export type ModelParameters = Pick<CompletionRequest, 'temperature' | 'maxTokens' | 'stop' | 'format'>;

/** How a call ended. */
export type Outcome = Pick<EndedCall, 'response' | 'errorCode' | 'errorDetail'>;

export type Called = Completion & { model: string };

/** Throws MODEL_CALL_FAILED, BUDGET_EXCEEDED, or the signal's reason. */
export async function callModel(
  chain: GuardedEndpoint[],
  request: CompletionRequest,
  context: CallContext,
): Promise<Called> {
  const progress: Progress = {
    attempt: 0,
    spoke: false,
    bytes: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  const [startedAt, began] = [Date.now(), performance.now()];
  function ended(model: string, outcome: Outcome): void {
    const { attempt, usage, firstTokenAt } = progress;
    const { task, messages, sent, maxTokens, stop, format } = request;
    context.onEnd?.({
      ...{ task, model, messages, sent, startedAt, attempts: attempt, usage },
      parameters: { temperature: progress.temperature, maxTokens, stop, format },
      durationMs: rounded(performance.now() - began),
      firstTokenMs: firstTokenAt === undefined ? null : rounded(firstTokenAt - began),
      ...outcome,
    });
  }
  try {
    const isOver = () => context.lasting === true && progress.spoke;
    const called = await withFallbacks(
      chain,
      (guarded) => callEndpoint(guarded, request, context, progress),
      isOver,
    );
    ended(called.model, { response: responseOf(called, request) });
    return called;
  } catch (error) {
    const known = error instanceof SkeinError ? error : undefined;
    const failure = { errorCode: known?.code ?? 'INTERNAL_ERROR', errorDetail: known?.detail } as const;
    ended(chain[0]?.endpoint.model ?? '', { response: null, ...failure });
    throw error;
  }
}

/** The answer for display. For structured output, only its JSON. */
function responseOf({ text, toolCalls }: Completion, { task }: CompletionRequest): string {
  const called = toolCalls.map(({ name, arguments: given }) => (name === task ? given : `${name}(${given})`));
  return [text, ...called].filter((part) => part !== '').join('\n');
}

/** A duration in milliseconds for display. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/**
 * Returns the result of the first model that succeeds. Throws the first error if all models fail, or if `isOver` returns true
 * after a failure.
 */
export async function withFallbacks<T>(
  chain: GuardedEndpoint[],
  call: (guarded: GuardedEndpoint) => Promise<T>,
  isOver: () => boolean = () => false,
): Promise<T> {
  let failure: SkeinError | undefined;
  for (const guarded of chain) {
    try {
      return await call(guarded);
    } catch (error) {
      if (!(error instanceof SkeinError) || error.code !== 'MODEL_CALL_FAILED') throw error;
      failure ??= error;
      if (isOver()) break;
    }
  }
  throw failure ?? new SkeinError('MODEL_CALL_FAILED', { detail: 'No model is configured' });
}

interface Progress {
  attempt: number;
  spoke: boolean;
  /** The length of the current attempt's text. */
  bytes: number;
  usage: Usage;
  /** The time of the current attempt's first token, as `performance.now()`. */
  firstTokenAt?: number | undefined;
  /** The temperature that was sent last. */
  temperature?: number | undefined;
}

async function callEndpoint(
  guarded: GuardedEndpoint,
  request: CompletionRequest,
  context: CallContext,
  progress: Progress,
): Promise<Called> {
  const { endpoint, breaker } = guarded;
  const temperature = request.temperature ?? endpoint.options.temperature;
  progress.temperature = temperature;
  const sent = { ...request, temperature, traceparent: context.traceparent };
  const inputTokens = estimateTokens(request.messages) + formatTokens(request);
  const onPart = (part: AnswerPart) => {
    if (part.reasoning) context.onReasoning?.(part.reasoning);
    if (part.text === '' && part.toolCalls.length === 0) return;
    progress.spoke = true;
    progress.bytes += Buffer.byteLength(part.text);
    if (part.text !== '') {
      progress.firstTokenAt ??= performance.now();
      context.onToken?.(part.text);
    }
    context.onPart?.(part);
  };
  const { model, options } = endpoint;
  const spent = (tokens: TokenUsage) => {
    const used = usageAt(options.price, tokens);
    const { inputTokens, outputTokens, cost } = progress.usage;
    progress.usage = {
      inputTokens: inputTokens + used.inputTokens,
      outputTokens: outputTokens + used.outputTokens,
      ...(used.cost !== undefined && { cost: addedCosts(cost, used.cost) }),
    };
    return { ...used, model };
  };
  /**
   * The usage of a call that was cancelled during the answer: the part that has arrived. It is estimated, because the provider
   * reports none.
   */
  const cutOff = (): TokenUsage | undefined =>
    progress.spoke ? { inputTokens, outputTokens: tokensInBytes(progress.bytes) } : undefined;
  const planned = { model, price: options.price, inputTokens, maxTokens: request.maxTokens };
  const callee = { options, settingPath: endpoint.settingPath, breaker, signal: context.signal };
  const call = callWithRetries(callee, async (signal) => {
    const reserved = await context.meter.reserve(planned, signal);
    progress.attempt++;
    if (progress.spoke) context.onRestart?.(progress.attempt);
    progress.spoke = false;
    progress.bytes = 0;
    progress.firstTokenAt = undefined;
    try {
      const completion = await endpoint.complete(sent, signal, onPart);
      reserved.settle(spent(completion.usage));
      return completion;
    } catch (error) {
      const used = error instanceof ProviderError ? error.usage : cutOff();
      reserved.settle(used && spent(used));
      if (!(error instanceof ProviderError)) throw error;
      throw context.lasting && progress.spoke ? error.asLast() : error;
    }
  });
  const completion = await call.catch((error) => {
    guarded.problem = problemIn(error) ?? guarded.problem;
    throw error;
  });
  guarded.problem = undefined;
  return { ...completion, model };
}

function problemIn({ cause }: { cause?: unknown }): string | undefined {
  return cause instanceof ProviderError && cause.setting ? cause.message : undefined;
}

/** The tokens of tools and schemas, which are input as well. */
function formatTokens({ format }: CompletionRequest): number {
  return format === undefined ? 0 : estimateTextTokens(JSON.stringify(format));
}
