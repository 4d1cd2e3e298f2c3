/** The words of texts and questions, in one form each. */
import { STOP_WORDS, VAGUE_WORDS } from '../../models/offline/stop-words.ts';
import { stem } from '../../models/offline/text.ts';

const WORD = /[\p{L}\p{N}]+/gu;
// Junk that was no word, such as encoded data, is told apart by its beginning.
const LONGEST = 40;

/** In lower case, without marks above and below letters. */
export function wordsOf(text: string): string[] {
  return plain(text).match(WORD) ?? [];
}

export function plain(text: string): string {
  return (isAscii(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')).toLowerCase();
}

/** Of the words that say what a text is about. */
export function contentTerms(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => !STOP_WORDS.has(word) && !VAGUE_WORDS.has(word))
      .map(termOf),
  );
}

/** The form that words of one family share: "corruption" and "corrupted" are "corrupt". Not a word to show. */
export function termOf(word: string): string {
  const known = TERMS.get(word);
  if (known !== undefined) return known;
  const term = family(stem(word.slice(0, LONGEST)));
  if (TERMS.size >= MOST_TERMS) TERMS.clear();
  // A copy: a part of a text would keep the whole of it in memory.
  TERMS.set(Buffer.from(word).toString(), term);
  return term;
}

// English prose has some 30,000 words, and the documentation of programs as many names again.
const MOST_TERMS = 50_000;
const TERMS = new Map<string, string>();

// As `stem` leaves them, without an "e" at their end; the longer ones first.
const ENDINGS =
  /^(.{4,}?)(?:izations?|ational|fulness|ousness|iveness|ations?|ators?|ement|ment|ance|anc|ence|enc|abl|ibl|able|ible|ness|ful|ous|iv|ive|iz|is|at|ate|iti|ity|ion|ical|al|ic|er|or|ant|ent|ism|li|ly)$/;

/** Derived words without their endings, at most two: a shorter cousin of Porter's steps 2 to 4. */
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
