/**
 * Whether a search found anything. Decided before ranks are fused: the best of fifty ranks is always first, whatever it
 * has to do with the query.
 */
import { contentTerms } from './terms.ts';

// At least this share of what a query asks for stands in one passage.
const SHARE_OF_TERMS = 0.6;

export interface Evidence {
  query: string;
  /** Cosine of the nearest passage; undefined where there is none. */
  nearest: number | undefined;
  /** The least cosine of a find. */
  threshold: number;
  /** Texts of the passages that hold words of the query, with their headings. */
  texts: readonly string[];
}

export function isFound({ query, nearest, threshold, texts }: Evidence): boolean {
  if (nearest !== undefined && nearest >= threshold) return true;
  const wanted = contentTerms(query);
  return wanted.size > 0 && texts.some((text) => shareOf(wanted, text) >= SHARE_OF_TERMS);
}

function shareOf(wanted: ReadonlySet<string>, text: string): number {
  const there = contentTerms(text);
  return [...wanted].filter((term) => there.has(term)).length / wanted.size;
}
