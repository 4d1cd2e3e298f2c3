/** Limits the number of a caller's requests per minute. */
import type { Full, MinuteCounters } from '../../state/callers/minute-counters.ts';
import { rateLimited } from './errors/error-with-headers.ts';

export interface RateLimit {
  /** Counts one request. Throws RATE_LIMITED if the limit is reached. */
  take(key: string): Promise<void>;
}

/** `kind` is the namespace of the keys. */
export function perMinute(counters: MinuteCounters, kind: string, most: number): RateLimit {
  return {
    async take(key) {
      const full = await counters.take([{ key: `${kind} ${key}`, most }]);
      if (full) throw limitReached(full);
    },
  };
}

/** A RATE_LIMITED error with the headers of the limit. */
export function limitReached({ most, remainingMs }: Full, detail?: string): Error {
  return rateLimited({ limit: most, remaining: 0, resetSeconds: Math.ceil(remainingMs / 1000) }, detail);
}
