/** One model call: retries, breaker, fallback models, budget and deadline in one layer. */
import { SkeinError } from '../../../state/errors.ts';
import type { Breaker } from './breaker.ts';
import type { Completion, CompletionRequest, Endpoint } from './endpoint.ts';
import type { ProviderError } from './provider-error.ts';
import { toProviderError } from './provider-error.ts';
import { countTokens, estimateTokens } from './tokens.ts';

/** A model with its breaker; `chain` is the model itself, then its fallbacks in order. */
export interface Line {
  endpoint: Endpoint;
  breaker: Breaker;
}

/** Counts the tokens of a run and refuses a call that would pass its budget. */
export interface TokenMeter {
  /** Throws BUDGET_EXCEEDED when `inputTokens` more would pass the budget. */
  check(inputTokens: number): void;
  add(usage: { inputTokens: number; outputTokens: number }): void;
}

export interface CallContext {
  /** Aborts when the run is cancelled or passes its deadline. */
  signal: AbortSignal;
  meter: TokenMeter;
  onToken?: (text: string) => void;
  /** Text was given out and then the attempt failed: attempt number `attempt` begins anew. */
  onRestart?: (attempt: number) => void;
}

export type Called = Completion & { model: string };

/** Throws MODEL_CALL_FAILED, BUDGET_EXCEEDED, or the signal's reason. */
export async function callModel(chain: Line[], request: CompletionRequest, context: CallContext): Promise<Called> {
  const progress = { attempt: 0, spoke: false };
  let failure: SkeinError | undefined;
  for (const line of chain) {
    try {
      return await callLine(line, request, context, progress);
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
  line: Line,
  request: CompletionRequest,
  context: CallContext,
  progress: Progress,
): Promise<Called> {
  const { endpoint, breaker } = line;
  const wait = breaker.admit();
  if (wait > 0) {
    throw new SkeinError('MODEL_CALL_FAILED', {
      detail: `Model '${endpoint.model}' has been failing; it is tried again shortly`,
      retryAfter: Math.ceil(wait / 1000),
    });
  }
  // The model's own timeout covers the whole call, so that retries never add up to more than was configured.
  const deadline = AbortSignal.timeout(endpoint.options.timeout_seconds * 1000);
  try {
    const completion = await attempts(line, request, { ...context, signal: either(context.signal, deadline) }, progress);
    breaker.succeeded();
    return { ...completion, model: endpoint.model };
  } catch (error) {
    if (context.signal.aborted) {
      breaker.abandoned();
      throw context.signal.reason;
    }
    if (deadline.aborted) {
      breaker.failed();
      throw failed(endpoint, `no complete answer within ${endpoint.options.timeout_seconds} s`, error);
    }
    if (error instanceof SkeinError) {
      breaker.abandoned();
      throw error;
    }
    const reason = toProviderError(error);
    if (reason.meansDown) breaker.failed();
    else breaker.succeeded();
    throw failed(endpoint, reason.message, reason);
  }
}

async function attempts(
  { endpoint }: Line,
  request: CompletionRequest,
  context: CallContext,
  progress: Progress,
): Promise<Completion> {
  const temperature = request.temperature ?? endpoint.options.temperature;
  for (let tries = 0; ; tries++) {
    const inputTokens = estimateTokens(request.messages);
    context.meter.check(inputTokens);
    progress.attempt++;
    if (progress.spoke) context.onRestart?.(progress.attempt);
    progress.spoke = false;
    const onToken = (text: string) => {
      progress.spoke = true;
      context.onToken?.(text);
    };
    try {
      const completion = await endpoint.complete({ ...request, temperature }, context.signal, onToken);
      context.meter.add(completion.usage ?? (await countTokens(request.messages, completion.text)));
      return completion;
    } catch (error) {
      context.signal.throwIfAborted();
      const reason = toProviderError(error);
      if (!reason.retryable || tries >= endpoint.options.max_retries) throw reason;
      await pause(backoff(reason, tries), context.signal);
    }
  }
}

function either(run: AbortSignal, call: AbortSignal): AbortSignal {
  return AbortSignal.any([run, call]);
}

function failed(endpoint: Endpoint, reason: string, cause: unknown): SkeinError {
  return new SkeinError('MODEL_CALL_FAILED', { detail: `Model '${endpoint.model}': ${reason}`, cause });
}

/** What the provider asked for, else a doubling wait with jitter, in milliseconds. */
function backoff(reason: ProviderError, tries: number): number {
  return reason.retryAfter ?? 200 * 2 ** tries * (0.75 + Math.random() / 2);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener('abort', stop);
    resolve();
  }, milliseconds);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return promise;
}
