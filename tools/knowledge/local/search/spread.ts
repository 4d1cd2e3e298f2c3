/** Moves near-duplicates down, such as a manual's summary that repeats its chapter. */
import { wordsOf } from '../words/terms.ts';

// The share of common words (Jaccard): a copy with another header has nine of ten.
const SAME = 0.8;

/** Near-duplicates come after all others: they are returned only if nothing else is left. */
export function spread<C extends { hit: { text: string } }>(order: readonly C[], limit: number): C[] {
  const chosen: { candidate: C; words: ReadonlySet<string> }[] = [];
  const again: C[] = [];
  for (const candidate of order) {
    if (chosen.length >= limit) break;
    const words = new Set(wordsOf(candidate.hit.text));
    if (chosen.some((other) => areAlike(words, other.words))) again.push(candidate);
    else chosen.push({ candidate, words });
  }
  return [...chosen.map(({ candidate }) => candidate), ...again].slice(0, limit);
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [less, more] = one.size < other.size ? [one, other] : [other, one];
  if (less.size < SAME * more.size) return false;
  const shared = less.intersection(more).size;
  return shared >= SAME * (one.size + other.size - shared);
}
