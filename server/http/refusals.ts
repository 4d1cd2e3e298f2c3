/** What callers are told who may not call, or not now: errors whose answers carry headers of their own. */
import { SkeinError } from '../../state/errors.ts';

/** An error of the service with headers for its answer. */
export class Refusal extends SkeinError {
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

/** `reason` becomes the challenge's `error`: RFC 6750, section 3. No word on which part of the credentials is wrong. */
export function unauthorized(reason?: 'invalid_token'): Refusal {
  const bearer = reason ? `Bearer realm="skein", error="${reason}"` : 'Bearer realm="skein"';
  return new Refusal('UNAUTHORIZED', { 'www-authenticate': `${BASIC}, ${bearer}` });
}

export interface Allowance {
  limit: number;
  remaining: number;
  /** Whole seconds until the full allowance is back. */
  resetSeconds: number;
}

export function rateLimited({ limit, remaining, resetSeconds }: Allowance, detail?: string): Refusal {
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  };
  return new Refusal('RATE_LIMITED', headers, resetSeconds, detail);
}
