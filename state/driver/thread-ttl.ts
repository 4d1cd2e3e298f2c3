/** Converts a thread's time to live to its columns: milliseconds and strategy. */
import type { ThreadTtl } from '../threads/threads.ts';

export const MINUTE_MS = 60_000;

export function ttlColumns(
  ttl: ThreadTtl | undefined,
): [milliseconds: number | null, strategy: string | null] {
  return ttl ? [Math.round(ttl.minutes * MINUTE_MS), ttl.strategy] : [null, null];
}
