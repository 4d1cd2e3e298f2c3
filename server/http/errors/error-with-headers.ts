/** Errors whose responses have additional headers: UNAUTHORIZED and RATE_LIMITED. */
import { SkeinError } from '../../../state/errors.ts';

export class ErrorWithHeaders extends SkeinError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof SkeinError && 'headers' in value;
  }

  readonly headers: Record<string, string>;

  constructor(
    code: 'UNAUTHORIZED' | 'RATE_LIMITED',
    headers: Record<string, string>,
    retryAfter?: number,
    detail?: string,
  ) {
    super(code, { retryAfter, detail });
    this.headers = headers;
  }
}

const BASIC = 'Basic realm="skein", charset="UTF-8"';

/** `reason` is the `error` of the challenge (RFC 6750, section 3). It doesn't reveal which part of the credentials is wrong. */
export function unauthorized(reason?: 'invalid_token'): ErrorWithHeaders {
  const bearer = reason ? `Bearer realm="skein", error="${reason}"` : 'Bearer realm="skein"';
  return new ErrorWithHeaders('UNAUTHORIZED', { 'www-authenticate': `${BASIC}, ${bearer}` });
}

export interface RateLimitState {
  limit: number;
  remaining: number;
  /** Whole seconds until the limit is fully available again. */
  resetSeconds: number;
}

export function rateLimited(
  { limit, remaining, resetSeconds }: RateLimitState,
  detail?: string,
): ErrorWithHeaders {
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  };
  return new ErrorWithHeaders('RATE_LIMITED', headers, resetSeconds, detail);
}
