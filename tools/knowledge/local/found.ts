/** Whether a search found anything: decided before ranks are fused, since the best of many ranks is always the first. */
import { identifiersOf } from './identifiers.ts';
import type { Candidate } from './rank.ts';
import { smallWordsOf } from './small-words.ts';
import { wordsOf } from './terms.ts';

// Of the weight of what is asked for, more than this share must stand in one passage: in a small library, and in a large one,
// where chance alone puts more words of any question together.
const SHARE = { small: 0.5, large: 0.6 };
const SMALL_PASSAGES = 2_000;
const LARGE_PASSAGES = 10_000;
// And so many of its terms: "the capital of Australia" is not found where something else is Australian.
const LEAST_TERMS = 2;
const EXAMINED = 20;

export interface Evidence {
  query: string;
  /** Cosine of the nearest passage; undefined if there is none. */
  nearest: number | null | undefined;
  /** The least cosine of a find; undefined where cosines don't tell. */
  threshold: number | undefined;
  /** The best by their words first. */
  candidates: readonly Pick<Candidate, 'share' | 'matched' | 'hit'>[];
  /** How many terms are asked for. */
  terms: number;
  /** How many passages the library has. */
  passages: number;
}

export function isFound({ query, nearest, threshold, candidates, terms, passages }: Evidence): boolean {
  if (typeof nearest === 'number' && threshold !== undefined && nearest >= threshold) return true;
  const least = Math.min(LEAST_TERMS, terms);
  // A question in another language shares fewer words with the documents that answer it.
  const needed = smallWordsOf(wordsOf(query)).isOther ? SHARE.small : shareOf(passages);
  if (candidates.some(({ share, matched }) => share > needed && matched >= least)) return true;
  const identifiers = identifiersOf(query);
  return candidates
    .slice(0, EXAMINED)
    .some(({ hit }) => identifiers.some((name) => `${hit.heading}\n${hit.text}`.includes(name)));
}

/** Between the two by the logarithm of the library's size. */
function shareOf(passages: number): number {
  const size = Math.log(Math.max(passages, 1) / SMALL_PASSAGES) / Math.log(LARGE_PASSAGES / SMALL_PASSAGES);
  return SHARE.small + (SHARE.large - SHARE.small) * Math.min(1, Math.max(0, size));
}
