/** Counters per minute, for rate limits. A key's minute starts with its first count. */

export interface MinuteCounters {
  /** Adds one to each key; if one of them is full, counts nothing and returns the first full one. */
  take(wanted: readonly Wanted[]): Promise<Full | undefined>;
  /** Returns the first full key; counts nothing. */
  look(wanted: readonly Wanted[]): Promise<Full | undefined>;
  /** Subtracts one from each key of `back`, and resets the keys of `reset` to zero. */
  undo(keys: { back?: readonly string[]; reset?: readonly string[] }): Promise<void>;
}

export interface Wanted {
  key: string;
  most: number;
}

export interface Full extends Wanted {
  /** Of its minute, in milliseconds. */
  left: number;
}

const MINUTE_MS = 60_000;
const MAX_KEYS = 100_000;

/** Counters of this process only. */
export function ownCounters(now: () => number = Date.now): MinuteCounters {
  const minutes = new Map<string, { count: number; until: number }>();

  function prune(): void {
    for (const [key, { until }] of minutes) if (until <= now()) minutes.delete(key);
    // More keys than this mean a distributed attack: forget the oldest.
    for (const key of minutes.keys()) {
      if (minutes.size < MAX_KEYS) return;
      minutes.delete(key);
    }
  }

  function fullOf({ key, most }: Wanted): Full | undefined {
    const minute = minutes.get(key);
    if (!minute || minute.until <= now() || minute.count < most) return undefined;
    return { key, most, left: minute.until - now() };
  }

  function count({ key }: Wanted): void {
    const minute = minutes.get(key);
    if (minute && minute.until > now()) {
      minute.count++;
      return;
    }
    // At the end of the map: its beginning is the oldest.
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
