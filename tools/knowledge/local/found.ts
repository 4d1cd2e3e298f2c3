/** Whether a search found anything: decided before ranks are fused, since the best of many ranks is always the first. */
import { identifiersOf } from './identifiers.ts';
import type { Candidate } from './search.ts';

// Of the weight of what is asked for, more than this share must stand in one passage: of two words that are as rare both.
const SHARE = 0.5;
const EXAMINED = 20;

export interface Evidence {
  query: string;
  /** Cosine of the nearest passage; undefined if there is none. */
  nearest: number | null | undefined;
  /** The least cosine of a find; undefined where cosines don't tell. */
  threshold: number | undefined;
  /** The best by their words first. */
  candidates: readonly Pick<Candidate, 'share' | 'hit'>[];
}

export function isFound({ query, nearest, threshold, candidates }: Evidence): boolean {
  if (typeof nearest === 'number' && threshold !== undefined && nearest >= threshold) return true;
  if (candidates.some(({ share }) => share > SHARE)) return true;
  const identifiers = identifiersOf(query);
  return candidates
    .slice(0, EXAMINED)
    .some(({ hit }) => identifiers.some((name) => `${hit.heading}\n${hit.text}`.includes(name)));
}
