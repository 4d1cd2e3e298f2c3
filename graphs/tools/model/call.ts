/** One model call: retries, breaker, fallback models, budget and deadline in one layer. */
import { type ErrorOptions, SkeinError } from '../../../state/errors.ts';
import type { Breaker, Pass } from './breaker.ts';
import { openDeadline } from './deadline.ts';
import type { Completion, CompletionRequest, Endpoint } from './endpoint.ts';
import { ProviderError } from './provider-error.ts';
import { estimateTokens, type TokenUsage } from './tokens.ts';

/** A model with its breaker; a chain of them is the model itself, then its fallbacks in order. */
export interface Line {
  endpoint: Endpoint;
  breaker: Breaker;
}

/** Counts the tokens of a run and refuses a call that would pass its budget. */
export interface TokenMeter {
  /** Throws BUDGET_EXCEEDED when `inputTokens` more would pass the budget. */
  check(inputTokens: number): void;
  add(usage: TokenUsage): void;
}

export interface CallContext {
  /** Aborts when the run is cancelled or passes its deadline. */
  signal: AbortSignal;
  meter: TokenMeter;
  /** The W3C trace that the call belongs to. */
  traceparent?: string | undefined;
  onToken?: (text: string) => void;
  /** Text was given out and then the attempt failed: attempt number `attempt` begins anew. */
  onRestart?: (attempt: number) => void;
}

export type Called = Completion & { model: string };

/** Throws MODEL_CALL_FAILED, BUDGET_EXCEEDED, or the signal's reason. */
export async function callModel(
  chain: Line[],
  request: CompletionRequest,
  context: CallContext,
): Promise<Called> {
  const progress = { attempt: 0, spoke: false };
  return withFallbacks(chain, (line) => callLine(line, request, context, progress));
}

/** Gives what the first line gives that does not fail; when all do, throws what the first one threw. */
export async function withFallbacks<T>(chain: Line[], call: (line: Line) => Promise<T>): Promise<T> {
  let failure: SkeinError | undefined;
  for (const line of chain) {
    try {
      return await call(line);
    } catch (error) {
      if (!(error instanceof SkeinError) || error.code !== 'MODEL_CALL_FAILED') throw error;
      failure ??= error;
    }
  }
  throw failure ?? new SkeinError('MODEL_CALL_FAILED', { detail: 'No model is configured' });
}

interface Progress {
  attempt: number;
  spoke: boolean;
}

async function callLine(
  { endpoint, breaker }: Line,
  request: CompletionRequest,
  context: CallContext,
  progress: Progress,
): Promise<Called> {
  context.signal.throwIfAborted();
  const pass = admit(endpoint, breaker);
  const seconds = endpoint.options.timeout_seconds;
  // The model's own timeout covers the whole call, so that retries never add up to more than was configured.
  const deadline = openDeadline(context.signal, seconds * 1000, () => tooLate(seconds));
  try {
    const completion = await attempts(endpoint, request, { ...context, signal: deadline.signal }, progress);
    pass.succeeded();
    return { ...completion, model: endpoint.model };
  } catch (error) {
    if (context.signal.aborted || !(error instanceof ProviderError)) {
      pass.abandoned();
      throw context.signal.aborted ? context.signal.reason : error;
    }
    if (error.meansDown) pass.failed();
    else pass.succeeded();
    throw failed(endpoint, { detail: error.message, cause: error });
  } finally {
    deadline.release();
  }
}

function admit(endpoint: Endpoint, breaker: Breaker): Pass {
  const pass = breaker.admit();
  if (typeof pass !== 'number') return pass;
  const detail = 'it has been failing and is tried again shortly';
  throw failed(endpoint, { detail, retryAfter: Math.ceil(pass / 1000) });
}

async function attempts(
  endpoint: Endpoint,
  request: CompletionRequest,
  context: CallContext,
  progress: Progress,
): Promise<Completion> {
  const temperature = request.temperature ?? endpoint.options.temperature;
  const sent = { ...request, temperature, traceparent: context.traceparent };
  const inputTokens = estimateTokens(request.messages);
  const onToken = (text: string) => {
    progress.spoke = true;
    context.onToken?.(text);
  };
  for (let tries = 0; ; tries++) {
    context.meter.check(inputTokens);
    progress.attempt++;
    if (progress.spoke) context.onRestart?.(progress.attempt);
    progress.spoke = false;
    try {
      const completion = await endpoint.complete(sent, context.signal, onToken);
      context.meter.add(completion.usage);
      return completion;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.usage) context.meter.add(error.usage);
      const over = !error.retryable || tries >= endpoint.options.max_retries;
      if (over || !(await pause(backoff(error, tries), context.signal))) throw error;
    }
  }
}

function tooLate(seconds: number): ProviderError {
  return new ProviderError('timeout', `no complete answer within ${seconds} s`);
}

function failed({ model }: Endpoint, { detail, ...more }: ErrorOptions): SkeinError {
  return new SkeinError('MODEL_CALL_FAILED', { detail: `Model '${model}': ${detail}`, ...more });
}

/** What the provider asked for, else a doubling wait with jitter, in milliseconds. */
function backoff(reason: ProviderError, tries: number): number {
  return reason.retryAfter ?? 200 * 2 ** tries * (0.75 + Math.random() / 2);
}

// A timer that is set for longer goes off at once.
const LONGEST_TIMER = 2 ** 31 - 1;

/** False when the signal aborted before the time was over. */
function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = () => {
    clearTimeout(timer);
    resolve(false);
  };
  const timer = setTimeout(
    () => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    },
    Math.min(milliseconds, LONGEST_TIMER),
  );
  signal.addEventListener('abort', stop, { once: true });
  return promise;
}
