/** A seeded random number generator. The same seed gives the same sample data on every machine. */

export interface Random {
  /** From `low` (inclusive) to `high` (exclusive). */
  between(low: number, high: number): number;
  /** An integer in a range, both ends inclusive. */
  whole(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
  /** A random item, by weight. */
  weighted<T>(items: readonly T[], weight: (item: T) => number): T;
  chance(probability: number): boolean;
}

export function seededRandom(seed: number): Random {
  const next = mulberry32(seed);
  const between = (low: number, high: number) => low + next() * (high - low);
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1));
  const at = <T>(items: readonly T[], index: number): T => {
    const item = items[index];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  };
  return {
    between,
    whole,
    pick: (items) => at(items, whole(0, items.length - 1)),
    weighted(items, weight) {
      let remaining = between(
        0,
        items.reduce((sum, item) => sum + weight(item), 0),
      );
      const index = items.findIndex((item) => {
        remaining -= weight(item);
        return remaining < 0;
      });
      return at(items, index < 0 ? items.length - 1 : index);
    },
    chance: (probability) => next() < probability,
  };
}

/** Tommy Ettinger's generator: 32 bits of state, from 0 (inclusive) to 1 (exclusive). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
