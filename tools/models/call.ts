/** One model call: what it asks, what it costs, and the models that answer where the first one fails. */
import { addedCosts } from '../../state/costs.ts';
import { type ErrorCode, SkeinError } from '../../state/errors.ts';
import type { Usage } from '../../state/runs.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { AnswerPart } from './answer.ts';
import { callWithRetries } from './attempts.ts';
import type { Breaker } from './breaker.ts';
import type { Completion, CompletionRequest, Endpoint, WireMessage } from './endpoint.ts';
import type { TokenMeter } from './meter.ts';
import { usageAt } from './price.ts';
import { ProviderError } from './provider-error.ts';
import { estimateTextTokens, estimateTokens, type TokenUsage, tokensInBytes } from './tokens.ts';

/** A model with its breaker; a chain of them is the model itself, then its fallbacks in order. */
export interface Line {
  endpoint: Endpoint;
  breaker: Breaker;
  /** Why its last call failed, if only a person can mend that: a refused key, or an address where nothing answers. */
  problem?: string | undefined;
}

export interface CallContext {
  /** Aborts when the run is cancelled or passes its deadline. */
  signal: AbortSignal;
  meter: TokenMeter;
  /** The W3C trace that the call belongs to. */
  traceparent?: string | undefined;
  onToken?: (text: string) => void;
  /** What the model thinks, as it comes, where the provider shows it. */
  onReasoning?: (text: string) => void;
  /** Text and tool calls, as they arrive. */
  onPart?: (part: AnswerPart) => void;
  /** What was given out cannot be taken back: an attempt that fails after it is the last. */
  lasting?: boolean;
  /** A part was given out and then the attempt failed: attempt number `attempt` begins anew. */
  onRestart?: (attempt: number) => void;
  /** The call has ended, well or not. */
  onEnd?: (call: EndedCall) => void;
  /** Where the call is told as a span, by `traced-call.ts`. */
  tracing?: Tracing | undefined;
}

/** What is known of a call at its end. */
export interface EndedCall {
  task: string;
  /** The model that answered; where none did, the one that was asked first. */
  model: string;
  messages: WireMessage[];
  /** What was sent in place of `messages`, where there is more to them than text. */
  sent?: readonly object[] | undefined;
  /** What was sent beside the messages; absent where that is not known. */
  asked?: Asked;
  /** What was said; null where nothing usable was. */
  response: string | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
  /** From the call's start; null where no text came. */
  firstTokenMs: number | null;
  /** How many times a provider was asked. */
  attempts: number;
  /** Of all attempts. */
  usage: Usage;
  errorCode?: ErrorCode;
  /** What is known of the failure beyond its code, such as the provider's words. */
  errorDetail?: string | undefined;
}

export type Asked = Pick<CompletionRequest, 'temperature' | 'maxTokens' | 'stop' | 'format'>;

/** How a call ended. */
export type Outcome = Pick<EndedCall, 'response' | 'errorCode' | 'errorDetail'>;

export type Called = Completion & { model: string };

/** Throws MODEL_CALL_FAILED, BUDGET_EXCEEDED, or the signal's reason. */
export async function callModel(
  chain: Line[],
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
      asked: { temperature: progress.temperature, maxTokens, stop, format },
      durationMs: rounded(performance.now() - began),
      firstTokenMs: firstTokenAt === undefined ? null : rounded(firstTokenAt - began),
      ...outcome,
    });
  }
  try {
    const isOver = () => context.lasting === true && progress.spoke;
    const called = await withFallbacks(chain, (line) => callLine(line, request, context, progress), isOver);
    ended(called.model, { response: responseOf(called, request) });
    return called;
  } catch (error) {
    const known = error instanceof SkeinError ? error : undefined;
    const failure = { errorCode: known?.code ?? 'INTERNAL_ERROR', errorDetail: known?.detail } as const;
    ended(chain[0]?.endpoint.model ?? '', { response: null, ...failure });
    throw error;
  }
}

/** What was said, as people read it; of a shape that was asked for its JSON alone. */
function responseOf({ text, toolCalls }: Completion, { task }: CompletionRequest): string {
  const called = toolCalls.map(({ name, arguments: given }) => (name === task ? given : `${name}(${given})`));
  return [text, ...called].filter((part) => part !== '').join('\n');
}

/** Milliseconds as people read them. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/** Gives what the first line gives that does not fail; when all do, or it is over, throws what the first one threw. */
export async function withFallbacks<T>(
  chain: Line[],
  call: (line: Line) => Promise<T>,
  isOver: () => boolean = () => false,
): Promise<T> {
  let failure: SkeinError | undefined;
  for (const line of chain) {
    try {
      return await call(line);
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
  /** Of the text of the attempt that goes on. */
  bytes: number;
  usage: Usage;
  /** Of the attempt that goes on, by the process's clock. */
  firstTokenAt?: number | undefined;
  /** As it was sent last. */
  temperature?: number | undefined;
}

async function callLine(
  line: Line,
  request: CompletionRequest,
  context: CallContext,
  progress: Progress,
): Promise<Called> {
  const { endpoint, breaker } = line;
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
  /** Who leaves in the middle of an answer has used what came of it; estimated, since nobody reports it. */
  const cutOff = (): TokenUsage | undefined =>
    progress.spoke ? { inputTokens, outputTokens: tokensInBytes(progress.bytes) } : undefined;
  const planned = { model, price: options.price, inputTokens, maxTokens: request.maxTokens };
  const callee = { options, place: endpoint.place, breaker, signal: context.signal };
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
    line.problem = problemIn(error) ?? line.problem;
    throw error;
  });
  line.problem = undefined;
  return { ...completion, model };
}

function problemIn({ cause }: { cause?: unknown }): string | undefined {
  return cause instanceof ProviderError && cause.setting ? cause.message : undefined;
}

/** Tools and schemas are input as well. */
function formatTokens({ format }: CompletionRequest): number {
  return format === undefined ? 0 : estimateTextTokens(JSON.stringify(format));
}
