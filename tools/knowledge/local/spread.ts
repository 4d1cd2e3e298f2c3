/** The best passages without those that say the same again, as a manual's chapter and its summary do. */
import type { Candidate } from './search.ts';

// Of the terms of both, how many they share (Jaccard): a copy with another header has nine of ten.
const SAME = 0.8;

/** Near-duplicates come after all others: they are given only where there is nothing else. */
export function spread<C extends Pick<Candidate, 'terms'>>(order: readonly C[], limit: number): C[] {
  const chosen: C[] = [];
  const again: C[] = [];
  for (const candidate of order) {
    if (chosen.length >= limit) break;
    const list = chosen.some((other) => areAlike(candidate.terms, other.terms)) ? again : chosen;
    list.push(candidate);
  }
  return [...chosen, ...again].slice(0, limit);
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [less, more] = one.size < other.size ? [one, other] : [other, one];
  if (less.size < SAME * more.size) return false;
  const shared = less.intersection(more).size;
  return shared >= SAME * (one.size + other.size - shared);
}
