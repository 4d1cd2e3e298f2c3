/**
 * Whether a search found anything. Decided before ranks are fused: the best of fifty ranks is always first, whatever it
 * has to do with the query.
 */
import { isWithinOneEdit } from './one-edit.ts';
import { contentTerms } from './terms.ts';

// At least this share of what a query asks for stands in one passage. With more, a quarter of the questions whose answer
// is there in partly other words would be told that there is none.
const SHARE_OF_TERMS = 0.5;
// And at least so many: "the symptoms of appendicitis" are not found where something else has symptoms.
const LEAST_TERMS = 2;
// Shorter words are one letter from too many others, and a number is another number.
const MISSPELT = /^\p{L}{5,}$/u;

export interface Evidence {
  query: string;
  /** Cosine of the nearest passage; undefined if there is none. */
  nearest: number | undefined;
  /** The least cosine of a find. */
  threshold: number;
  /** Texts of the best passages, with their headings. */
  texts: readonly string[];
}

export function isFound({ query, nearest, threshold, texts }: Evidence): boolean {
  if (nearest !== undefined && nearest >= threshold) return true;
  const wanted = contentTerms(query);
  const enough = Math.max(Math.min(LEAST_TERMS, wanted.size), wanted.size * SHARE_OF_TERMS);
  return wanted.size > 0 && texts.some((text) => countOf(wanted, text) >= enough);
}

function countOf(wanted: ReadonlySet<string>, text: string): number {
  const there = contentTerms(text);
  return [...wanted].filter((term) => there.has(term) || isMisspelt(term, there)).length;
}

function isMisspelt(term: string, there: ReadonlySet<string>): boolean {
  return MISSPELT.test(term) && there.values().some((other) => isWithinOneEdit(term, other));
}
