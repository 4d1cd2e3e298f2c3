/** A model at the scripted provider, a run that records its events, and the usual faults of providers. */

import { tokenMeter } from '../../../runtime/run/meter.ts';
import { type ErrorCode, SkeinError } from '../../../state/errors.ts';
import { breaker } from '../../../tools/models/call/breaker.ts';
import type { CallContext, GuardedEndpoint } from '../../../tools/models/call/call.ts';
import { ProviderError } from '../../../tools/models/errors/provider-error.ts';
import type { ModelOptions } from '../../../tools/models/options.ts';
import { type CompletionRequest, openEndpoint } from '../../../tools/models/provider/endpoint.ts';
import type { TokenUsage } from '../../../tools/models/usage/tokens.ts';
import { chunk, eventStream } from '../../support/provider.ts';

/** The key that is sent. Every error of the scripted provider repeats it, and it must never be shown. */
export const CANARY = 'secret-key';

export const REQUEST: CompletionRequest = {
  task: 'answer',
  messages: [{ role: 'user', content: 'My bike is broken.' }],
};

export function modelAt(base_url: string, more: Partial<ModelOptions> = {}): ModelOptions {
  return {
    model: 'test-model',
    role: 'chat',
    base_url,
    api_key: CANARY,
    timeout_seconds: 10,
    max_retries: 2,
    structured_output: 'auto',
    fallbacks: [],
    ...more,
  };
}

export function endpointTo(base_url: string, more: Partial<ModelOptions> = {}): GuardedEndpoint {
  return { endpoint: openEndpoint(modelAt(base_url, more)), breaker: breaker() };
}

export interface RecordedRun extends CallContext {
  tokens: string[];
  restarts: number[];
  used: TokenUsage;
}

/** `budget` is in tokens. */
export function recordedRun({
  signal = new AbortController().signal,
  budget,
}: {
  signal?: AbortSignal;
  budget?: number;
} = {}): RecordedRun {
  const tokens: string[] = [];
  const restarts: number[] = [];
  const meter = tokenMeter(budget);
  return {
    signal,
    meter,
    get used() {
      const { models: _, ...totals } = meter.usage;
      return totals;
    },
    tokens,
    restarts,
    onToken: (text) => tokens.push(text),
    onRestart: (attempt) => restarts.push(attempt),
  };
}

/** One event: a piece of text, or the body of a chunk. */
export function event(part: string | object): string {
  const body = typeof part === 'string' ? { choices: [{ index: 0, delta: { content: part } }] } : part;
  return chunk({ id: 'c', created: 1, model: 'm' }, body);
}

export function finishing(finish_reason: string): object {
  return { choices: [{ index: 0, delta: {}, finish_reason }] };
}

export function reporting(usage: unknown): object {
  return { choices: [], usage };
}

/** A stream of these events, without an end marker. */
export function stream(...parts: (string | object)[]): Response {
  return eventStream(parts.map(event).join(''));
}

/** An answer that stays open after these events. The comment sends the headers immediately. */
export function hanging(...parts: (string | object)[]): Response {
  const start = (controller: ReadableStreamDefaultController) =>
    controller.enqueue([': hi\n\n', ...parts.map(event)].join(''));
  return eventStream(new ReadableStream({ start }));
}

/** A stream of the values of an async iterable. */
export function flowing(events: AsyncIterator<string>): Response {
  const pull = async (controller: ReadableStreamDefaultController) => {
    const { value, done } = await events.next();
    if (done) controller.close();
    else controller.enqueue(value);
  };
  return eventStream(new ReadableStream({ pull }));
}

export function never(): Promise<Response> {
  return new Promise(() => {});
}

/** An error answer in OpenAI's form. */
export function refusal(
  status: number,
  { headers = {}, ...error }: { headers?: Record<string, string>; [field: string]: unknown } = {},
): Response {
  return Response.json({ error: { message: CANARY, ...error } }, { status, headers });
}

/** An error that is retried immediately. */
export function passing(status: number): Response {
  return refusal(status, { headers: { 'retry-after-ms': '1' } });
}

/** Returns the error with which the promise rejects. */
export function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`succeeded: ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
}

export async function providerErrorOf(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await errorOf(promise);
  if (!(error instanceof ProviderError)) throw new Error('no ProviderError', { cause: error });
  return error;
}

/** Checks the code and returns the detail. */
export async function detailOf(
  promise: Promise<unknown>,
  code: ErrorCode = 'MODEL_CALL_FAILED',
): Promise<string | undefined> {
  const error = await errorOf(promise);
  if (!(error instanceof SkeinError) || error.code !== code) throw new Error(`no ${code}`, { cause: error });
  return error.detail;
}
