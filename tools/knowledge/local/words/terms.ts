/** Splits texts and questions into normalized words. */
import { STOP_WORDS, VAGUE_WORDS } from '../../../models/offline/language/stop-words.ts';
import { stem } from '../../../models/offline/language/text.ts';

const WORD = /[\p{L}\p{N}]+/gu;
// Longer words are junk, such as encoded data, and only their beginning is compared.
const LONGEST = 40;

/** The words of a text, in lower case and without diacritics. */
export function wordsOf(text: string): string[] {
  return plain(text).match(WORD) ?? [];
}

export function plain(text: string): string {
  return (isAscii(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')).toLowerCase();
}

/** The terms of the words that carry meaning. */
export function contentTerms(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => !STOP_WORDS.has(word) && !VAGUE_WORDS.has(word))
      .map(termOf),
  );
}

/** The stem that related words share: "corruption" and "corrupted" become "corrupt". Not for display. */
export function termOf(word: string): string {
  const known = TERMS.get(word);
  if (known !== undefined) return known;
  const term = family(stem(word.slice(0, LONGEST)));
  if (TERMS.size >= MAX_TERMS) TERMS.clear();
  // A copy: a substring would keep the whole text in memory.
  TERMS.set(Buffer.from(word).toString(), term);
  return term;
}

// English prose has about 30,000 words, and the documentation of programs adds as many names.
const MAX_TERMS = 50_000;
const TERMS = new Map<string, string>();

// The suffixes as `stem` leaves them, without a final "e". Longer suffixes come first.
const ENDINGS =
  /^(.{4,}?)(?:izations?|ational|fulness|ousness|iveness|ations?|ators?|ement|ment|ance|anc|ence|enc|abl|ibl|able|ible|ness|ful|ous|iv|ive|iz|is|at|ate|iti|ity|ion|ical|al|ic|er|or|ant|ent|ism|li|ly)$/;

/** Removes at most two derivational suffixes: a simplified version of Porter's steps 2 to 4. */
function family(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  const first = ENDINGS.exec(word)?.[1];
  if (first === undefined) return word;
  const second = ENDINGS.exec(first)?.[1] ?? first;
  return second.replace(/([^aeiouylsz])\1$/, '$1');
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  return /^[\u0000-\u007f]*$/.test(text);
}
