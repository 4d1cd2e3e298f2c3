/** Calls a provider with retries, circuit breaker and deadline in one layer. */
import { type ErrorOptions, SkeinError } from '../../../state/errors.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { ModelOptions } from '../options.ts';
import type { Breaker, Pass } from './breaker.ts';
import { openDeadline } from './deadline.ts';

export interface Callee {
  options: ModelOptions;
  /** The path of these options in the settings, such as `models[0]`. */
  settingPath?: string | undefined;
  breaker: Breaker;
  signal: AbortSignal;
}

/** Retries only ProviderErrors of `attempt`. Throws MODEL_CALL_FAILED, the signal's reason, or any other error. */
export async function callWithRetries<T>(
  { options, settingPath, breaker, signal }: Callee,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const pass = admit(options, breaker);
  const seconds = options.timeout_seconds;
  // The model's timeout covers the whole call, so that retries never exceed it together.
  const deadline = openDeadline(signal, seconds * 1000, () => tooLate(seconds));
  try {
    const result = await attempts(options.max_retries, deadline.signal, attempt);
    pass.succeeded();
    return result;
  } catch (error) {
    if (signal.aborted || !(error instanceof ProviderError)) {
      pass.abandoned();
      throw signal.aborted ? signal.reason : error;
    }
    if (error.meansDown) pass.failed();
    else pass.succeeded();
    const hint = settingPath && error.setting ? `; check ${settingPath}.${error.setting}` : '';
    throw failed(options, { detail: error.sentence + hint, cause: error });
  } finally {
    deadline.release();
  }
}

function admit(options: ModelOptions, breaker: Breaker): Pass {
  const pass = breaker.admit();
  if (typeof pass !== 'number') return pass;
  const detail = 'it has been failing and will be tried again shortly';
  throw failed(options, { detail, retryAfter: Math.ceil(pass / 1000) });
}

async function attempts<T>(
  retries: number,
  signal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt(signal);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const over = !error.retryable || tries >= retries;
      if (over || !(await pause(backoff(error, tries), signal))) throw error;
    }
  }
}

function tooLate(seconds: number): ProviderError {
  return new ProviderError('timeout', `no complete answer within ${seconds} s`);
}

function failed({ model }: ModelOptions, { detail, ...more }: ErrorOptions): SkeinError {
  return new SkeinError('MODEL_CALL_FAILED', { detail: `Model '${model}': ${detail}`, ...more });
}

/** The delay that the provider requested, otherwise exponential backoff with jitter, in milliseconds. */
function backoff(reason: ProviderError, tries: number): number {
  return reason.retryAfter ?? 200 * 2 ** tries * (0.75 + Math.random() / 2);
}

// A timer with a longer delay fires immediately.
const LONGEST_TIMER = 2 ** 31 - 1;

/** Returns false if the signal aborts before the time is up. */
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
