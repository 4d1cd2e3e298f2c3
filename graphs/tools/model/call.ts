/** One model call: what it asks, what it costs, and the models that answer where the first one fails. */
import { SkeinError } from '../../../state/errors.ts';
import { callWithRetries } from './attempts.ts';
import type { Breaker } from './breaker.ts';
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
  const temperature = request.temperature ?? endpoint.options.temperature;
  const sent = { ...request, temperature, traceparent: context.traceparent };
  const inputTokens = estimateTokens(request.messages);
  const onToken = (text: string) => {
    progress.spoke = true;
    context.onToken?.(text);
  };
  const { options } = endpoint;
  const completion = await callWithRetries({ options, breaker, signal: context.signal }, async (signal) => {
    context.meter.check(inputTokens);
    progress.attempt++;
    if (progress.spoke) context.onRestart?.(progress.attempt);
    progress.spoke = false;
    try {
      const completion = await endpoint.complete(sent, signal, onToken);
      context.meter.add(completion.usage);
      return completion;
    } catch (error) {
      if (error instanceof ProviderError && error.usage) context.meter.add(error.usage);
      throw error;
    }
  });
  return { ...completion, model: endpoint.model };
}
