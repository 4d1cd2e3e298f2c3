/**
 * Decides whether a search found anything relevant, before ranks are fused, because the first fused rank is the same for good
 * and bad results.
 */
import { identifiersOf } from '../words/identifiers.ts';
import { smallWordsOf } from '../words/small-words.ts';
import { wordsOf } from '../words/terms.ts';
import type { Candidate } from './rank.ts';

// The share of the query's weight that one passage must contain, in a small and in a large library. In a large library, more
// passages contain several words of a question by chance.
const SHARE = { small: 0.5, large: 0.6 };
const SMALL_PASSAGES = 2_000;
const LARGE_PASSAGES = 10_000;
// The passage must also contain this many terms: "the capital of Australia" is not found only because something else is
// Australian.
const MIN_TERMS = 2;
const EXAMINED = 20;

export interface Evidence {
  query: string;
  /** The cosine of the nearest passage; undefined if there are no passages. */
  nearest: number | null | undefined;
  /** The minimum cosine of a result; undefined if cosines say nothing about relevance. */
  threshold: number | undefined;
  /** The passages with the best word scores first. */
  candidates: readonly Pick<Candidate, 'share' | 'matched' | 'hit'>[];
  /** The number of query terms. */
  terms: number;
  /** The number of passages in the library. */
  passages: number;
}

export function isFound({ query, nearest, threshold, candidates, terms, passages }: Evidence): boolean {
  if (typeof nearest === 'number' && threshold !== undefined && nearest >= threshold) return true;
  const least = Math.min(MIN_TERMS, terms);
  // A question in another language shares fewer words with the documents that answer it.
  const needed = smallWordsOf(wordsOf(query)).isOther ? SHARE.small : shareOf(passages);
  if (candidates.some(({ share, matched }) => share > needed && matched >= least)) return true;
  const identifiers = identifiersOf(query);
  return candidates
    .slice(0, EXAMINED)
    .some(({ hit }) => identifiers.some((name) => `${hit.heading}\n${hit.text}`.includes(name)));
}

/** Interpolates between the two shares by the logarithm of the library's size. */
function shareOf(passages: number): number {
  const size = Math.log(Math.max(passages, 1) / SMALL_PASSAGES) / Math.log(LARGE_PASSAGES / SMALL_PASSAGES);
  return SHARE.small + (SHARE.large - SHARE.small) * Math.min(1, Math.max(0, size));
}
