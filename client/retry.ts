/** Decides whether to retry, and after how long. */
import { SkeinApiError } from './api-error.ts';
import type { RetryOptions } from './options.ts';
import { ConnectionLost } from './requests.ts';

const DEFAULTS: RetryOptions = {
  startAttempts: 6,
  rejoinAttempts: 30,
  firstDelayMs: 250,
  longestDelayMs: 10_000,
  random: Math.random,
};

/** The limit of the wait that a response may ask for. The service never asks for more. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

export function retryOptions(given: Partial<RetryOptions> = {}): RetryOptions {
  return { ...DEFAULTS, ...given };
}

/** Statuses of a gateway that may or may not have forwarded the request. */
const UNCERTAIN = new Set([502, 504]);
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Whether a retry may succeed. `uncertain`: an earlier request may have taken effect. A temporary rejection doesn't show
 * whether it has, so retry. Otherwise, a rejection means that nothing was done, so leave the decision to the caller.
 */
export function passes(error: unknown, uncertain: boolean): boolean {
  if (error instanceof ConnectionLost) return true;
  if (!(error instanceof SkeinApiError) || error.status === undefined) return false;
  return (uncertain ? PASSING : UNCERTAIN).has(error.status);
}

/**
 * Milliseconds to wait after failed attempt number `attempt`, counted from 1: random up to a limit that doubles, so that the
 * clients of a restarted service do not reconnect at the same time
 * (aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter).
 */
export function delayBefore(attempt: number, error: unknown, options: RetryOptions): number {
  const { firstDelayMs, longestDelayMs, random } = options;
  const bound = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  const retryAfter = error instanceof SkeinApiError ? (error.retryAfter ?? 0) : 0;
  return Math.min(retryAfter, LONGEST_RETRY_AFTER_SECONDS) * 1000 + random() * bound;
}

/** Rejects with the signal's reason as soon as it aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
