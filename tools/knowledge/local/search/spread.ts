/** Moves near-duplicates down, such as a manual's summary that repeats its chapter. */
import { wordsOf } from '../words/terms.ts';

// The share of common words (Jaccard index). A copy with a different header has nine of ten words in common.
const SAME = 0.8;

/** Near-duplicates come after all other passages, so they are only returned if there are not enough others. */
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
