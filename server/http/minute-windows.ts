/** Counts what callers do in a minute, and refuses what is more. */
import type { Full, MinuteCounters } from '../../state/minute-counters.ts';
import { rateLimited } from './refusals.ts';

export interface MinuteWindows {
  /** Counts one. Throws RATE_LIMITED where the limit is reached. */
  take(key: string): Promise<void>;
}

/** `kind` keeps its keys from those of others. */
export function countByMinute(counters: MinuteCounters, kind: string, most: number): MinuteWindows {
  return {
    async take(key) {
      const full = await counters.take([{ key: `${kind} ${key}`, most }]);
      if (full) throw tooMany(full);
    },
  };
}

export function tooMany({ most, left }: Full, detail?: string): Error {
  return rateLimited({ limit: most, remaining: 0, resetSeconds: Math.ceil(left / 1000) }, detail);
}
