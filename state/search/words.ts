/** The words of texts and of what is searched for. The databases only compare them, so that all find the same. */

/** Words that stand side by side in a text, in this order; of the last one only its beginning where `isPrefix`. */
export interface SearchWord {
  tokens: string[];
  isPrefix: boolean;
}

const RUNS_OF_LETTERS = /[\p{L}\p{N}\p{M}]+/gu;
// Written without spaces: each character is a word.
const IDEOGRAPH = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/u;
const MARKS = /\p{M}+/gu;
const LONGEST = 60;

/** In small letters and without accents, in the order of the text. */
export function tokensOf(text: string): string[] {
  return wordSpans(text).flatMap(({ tokens }) => tokens);
}

export interface WordSpan {
  tokens: string[];
  start: number;
  end: number;
}

/** The same, with the place of each in the text. */
export function wordSpans(text: string): WordSpan[] {
  return Array.from(text.matchAll(RUNS_OF_LETTERS), (match) => ({
    tokens: folded(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** What is looked for: words, "words side by side", and wor* for a beginning. */
export function searchWords(query: string): SearchWord[] {
  return Array.from(query.matchAll(/"([^"]*)"?|[^\s"]+/gu), ([whole, quoted]) => ({
    tokens: tokensOf(quoted ?? whole),
    isPrefix: quoted === undefined && whole.endsWith('*'),
  })).filter(({ tokens }) => tokens.length > 0);
}

function folded(letters: string): string[] {
  return letters
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .split(IDEOGRAPH)
    .filter((token) => token !== '')
    .map((token) => token.slice(0, LONGEST));
}
