/** Counts what a caller does in a minute, and refuses what is more. */
import { rateLimited } from './refusals.ts';

export interface MinuteWindows {
  /** Counts one. Throws RATE_LIMITED where the limit is reached; `detail` says of what. */
  take(key: string, detail?: string): void;
  /** One that was counted was none. */
  giveBack(key: string): void;
  /** The key starts anew. */
  forget(key: string): void;
}

const WINDOW_MS = 60_000;
const MAX_KEYS = 100_000;

/** A key's minute begins with what is counted first. */
export function countByMinute(limit: number, now: () => number = Date.now): MinuteWindows {
  const windows = new Map<string, { count: number; until: number }>();

  function prune(): void {
    for (const [key, { until }] of windows) if (until <= now()) windows.delete(key);
    // More than this is an attack from everywhere at once: the oldest keys are forgotten.
    for (const key of windows.keys()) {
      if (windows.size < MAX_KEYS) return;
      windows.delete(key);
    }
  }

  return {
    take(key, detail) {
      const window = windows.get(key);
      if (window && window.until > now()) {
        const resetSeconds = Math.ceil((window.until - now()) / 1000);
        if (window.count >= limit) throw rateLimited({ limit, remaining: 0, resetSeconds }, detail);
        window.count++;
        return;
      }
      // At the end of the map: its beginning is the oldest.
      windows.delete(key);
      if (windows.size >= MAX_KEYS) prune();
      windows.set(key, { count: 1, until: now() + WINDOW_MS });
    },
    giveBack(key) {
      const window = windows.get(key);
      if (window && --window.count <= 0) windows.delete(key);
    },
    forget: (key) => void windows.delete(key),
  };
}
