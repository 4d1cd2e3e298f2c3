/** Splits a question into words, numbers, dates and quoted texts. */
import { examined, stem } from '../language/text.ts';

export interface Token {
  /** The text as it was written, without quotation marks. */
  text: string;
  /** The text in lower case, without accents. */
  word: string;
  /** The stem, which is the same for all forms of a word. */
  stem: string;
  /** The stems of the parts that are joined by hyphens, underscores or inner capital letters. */
  parts: string[];
  quoted: boolean;
  /** Whether it begins with a capital letter that is not that of a sentence. */
  capital: boolean;
  number: number | undefined;
  /** Whether there is a comma before it. */
  listed: boolean;
}

const QUOTED =
  /(?<=^|[\s(,:])(?:"([^"]{1,200})"|“([^”]{1,200})”|'([^']{1,200})'(?=$|[\s),.:;?!])|‘([^’]{1,200})’)/;
const DATE = /\d{4}-\d{2}(?:-\d{2})?/u;
const NUMBER = /\d+(?:[.,]\d+)*(?![\p{L}\d])/u;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[-'_][\p{L}\p{M}\p{N}]+)*/u;
const PIECE = new RegExp(
  [QUOTED, DATE, NUMBER, WORD, /[€$£%,.?!]/].map(({ source }) => source).join('|'),
  'gu',
);
const SIGNS = new Map([
  ['€', 'euros'],
  ['$', 'dollars'],
  ['£', 'pounds'],
  ['%', 'percent'],
]);

export function tokens(question: string): Token[] {
  const found: Token[] = [];
  let begins = true;
  let listed = false;
  for (const match of examined(question).matchAll(PIECE)) {
    const [piece] = match;
    if (/^[.?!]$/.test(piece)) begins = true;
    if (piece === ',') listed = true;
    if (/^[,.?!]$/.test(piece)) continue;
    const inside = match.slice(1).find((group) => group !== undefined);
    const text = inside ?? SIGNS.get(piece) ?? piece;
    const word = folded(text);
    found.push({
      text,
      word,
      stem: stem(word),
      parts: folded(text.replace(/([a-z\d])([A-Z])/g, '$1 $2'))
        .split(/[\W_]+/)
        .filter((part) => part !== '')
        .map(stem),
      quoted: inside !== undefined,
      capital: !begins && /^\p{Lu}/u.test(text),
      number: inside === undefined && /^\d[\d.,]*$/.test(piece) ? numberOf(piece) : NUMBER_WORDS.get(word),
      listed,
    });
    begins = false;
    listed = false;
  }
  return found;
}

/**
 * Whether a name of several words begins here: "Bike Hub Oslo" is a name, whatever its words mean alone. If most words have
 * capital letters, they indicate nothing.
 */
export function beginsName(tokens: readonly Token[], at: number): boolean {
  const isTitle = tokens.filter(({ capital }) => capital).length > tokens.length / 2;
  return !isTitle && tokens[at]?.capital === true && tokens[at + 1]?.capital === true;
}

/** The form in which names are compared: in lower case, with single spaces, and without accents and possessive endings. */
export function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const NUMBER_WORDS = new Map(
  'one two three four five six seven eight nine ten'.split(' ').map((word, index) => [word, index + 1]),
);

/** `1,000` and `1.000` are one thousand; `1.5` is one and a half. */
function numberOf(piece: string): number {
  const plain = piece.replace(/[.,]$/, '');
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(plain)) return Number(plain.replaceAll(',', ''));
  if (/^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(plain))
    return Number(plain.replaceAll('.', '').replace(',', '.'));
  return Number(plain.replace(',', '.'));
}
