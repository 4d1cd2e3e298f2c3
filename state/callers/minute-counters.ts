/** Fixed-window counters per minute, for rate limits. The minute of a key starts with its first count. */

export interface MinuteCounters {
  /** Adds one to each key. If a key is full, counts nothing and returns the first full key. */
  take(wanted: readonly Wanted[]): Promise<Full | undefined>;
  /** Returns the first full key without counting. */
  look(wanted: readonly Wanted[]): Promise<Full | undefined>;
  /** Subtracts one from each key of `back`, and resets the keys of `reset` to zero. */
  undo(keys: { back?: readonly string[]; reset?: readonly string[] }): Promise<void>;
}

export interface Wanted {
  key: string;
  most: number;
}

export interface Full extends Wanted {
  /** Milliseconds until its minute ends. */
  remainingMs: number;
}

const MINUTE_MS = 60_000;
const MAX_KEYS = 100_000;

/** Counters in the memory of this process. */
export function localCounters(now: () => number = Date.now): MinuteCounters {
  const minutes = new Map<string, { count: number; until: number }>();

  function prune(): void {
    for (const [key, { until }] of minutes) if (until <= now()) minutes.delete(key);
    // So many active keys indicate a distributed attack. Drop the oldest to limit memory.
    for (const key of minutes.keys()) {
      if (minutes.size < MAX_KEYS) return;
      minutes.delete(key);
    }
  }

  function fullOf({ key, most }: Wanted): Full | undefined {
    const minute = minutes.get(key);
    if (!minute || minute.until <= now() || minute.count < most) return undefined;
    return { key, most, remainingMs: minute.until - now() };
  }

  function count({ key }: Wanted): void {
    const minute = minutes.get(key);
    if (minute && minute.until > now()) {
      minute.count++;
      return;
    }
    // Deleting first moves the key to the end of the map, so that the map is ordered by age.
    minutes.delete(key);
    if (minutes.size >= MAX_KEYS) prune();
    minutes.set(key, { count: 1, until: now() + MINUTE_MS });
  }

  function giveBack(key: string): void {
    const minute = minutes.get(key);
    if (minute && --minute.count <= 0) minutes.delete(key);
  }

  const firstFull = (wanted: readonly Wanted[]) => {
    for (const one of wanted) {
      const full = fullOf(one);
      if (full) return full;
    }
    return undefined;
  };

  return {
    async take(wanted) {
      const full = firstFull(wanted);
      if (!full) for (const one of wanted) count(one);
      return full;
    },
    look: async (wanted) => firstFull(wanted),
    async undo({ back = [], reset = [] }) {
      for (const key of back) giveBack(key);
      for (const key of reset) minutes.delete(key);
    },
  };
}
