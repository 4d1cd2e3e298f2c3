/** Whether a search found anything: decided before ranks are fused, since the best of many ranks is always the first. */
import { identifiersOf } from './identifiers.ts';
import type { Candidate } from './rank.ts';

// Of the weight of what is asked for, more than this share must stand in one passage.
const SHARE = 0.5;
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
}

export function isFound({ query, nearest, threshold, candidates, terms }: Evidence): boolean {
  if (typeof nearest === 'number' && threshold !== undefined && nearest >= threshold) return true;
  const least = Math.min(LEAST_TERMS, terms);
  if (candidates.some(({ share, matched }) => share > SHARE && matched >= least)) return true;
  const identifiers = identifiersOf(query);
  return candidates
    .slice(0, EXAMINED)
    .some(({ hit }) => identifiers.some((name) => `${hit.heading}\n${hit.text}`.includes(name)));
}
