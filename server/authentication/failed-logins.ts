/** Counts failed logins of each pair of address and name, so that passwords cannot be tried out. */
import { rateLimited } from './refusals.ts';

export interface FailedLogins {
  /** Counts an attempt as failed before it is looked at, so that parallel ones count too. Throws RATE_LIMITED. */
  attempt(address: string, username: string): void;
  /** The attempt was good: the pair starts anew. */
  succeeded(address: string, username: string): void;
}

const WINDOW_MS = 60_000;
const MAX_PAIRS = 100_000;

export function countFailedLogins(limit: number, now: () => number = Date.now): FailedLogins {
  const pairs = new Map<string, { failed: number; until: number }>();
  const keyOf = (address: string, username: string) => JSON.stringify([address, username]);

  function prune(): void {
    for (const [key, { until }] of pairs) if (until <= now()) pairs.delete(key);
    // More than this is an attack from everywhere at once: the oldest pairs are forgotten.
    for (const key of pairs.keys()) {
      if (pairs.size < MAX_PAIRS) return;
      pairs.delete(key);
    }
  }

  return {
    attempt(address, username) {
      const key = keyOf(address, username);
      const pair = pairs.get(key);
      if (!pair || pair.until <= now()) {
        if (pairs.size >= MAX_PAIRS) prune();
        pairs.set(key, { failed: 1, until: now() + WINDOW_MS });
      } else if (pair.failed >= limit) {
        const resetSeconds = Math.ceil((pair.until - now()) / 1000);
        throw rateLimited({ limit, remaining: 0, resetSeconds }, 'too many failed logins');
      } else pair.failed++;
    },
    succeeded: (address, username) => void pairs.delete(keyOf(address, username)),
  };
}
