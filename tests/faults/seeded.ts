/** Pseudorandom numbers: the same for the same seed. */

export interface Random {
  /** An integer from 0 to below `most`. */
  below(most: number): number;
  of<T>(list: readonly T[]): T;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    of<T>(list: readonly T[]): T {
      const index = below(list.length);
      if (index >= list.length) throw new Error('the list is empty');
      return list[index] as T;
    },
  };
}
