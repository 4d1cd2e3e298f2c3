/** Cuts a question into words, numbers, dates and quoted texts. */
import { examined, stem } from '../text.ts';

export interface Token {
  /** As it was written, without quotation marks. */
  text: string;
  /** Lower case, without accents. */
  word: string;
  /** What two forms of a word have in common. */
  stem: string;
  /** The stems of what hyphens, underscores and capitals inside join. */
  parts: string[];
  quoted: boolean;
  /** Begins with a capital, and not because a sentence begins. */
  capital: boolean;
  number: number | undefined;
  /** A comma stands before it. */
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

/** "Bike Hub Oslo" is a name, whatever its words may be else; where every word has a capital, none says so. */
export function beginsName(tokens: readonly Token[], at: number): boolean {
  const isTitle = tokens.filter(({ capital }) => capital).length > tokens.length / 2;
  return !isTitle && tokens[at]?.capital === true && tokens[at + 1]?.capital === true;
}

/** Lower case, one space between words, accents and possessive endings gone: how names are compared. */
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

/** `1,000` and `1.000` are a thousand, `1.5` is one and a half. */
function numberOf(piece: string): number {
  const plain = piece.replace(/[.,]$/, '');
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(plain)) return Number(plain.replaceAll(',', ''));
  if (/^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(plain))
    return Number(plain.replaceAll('.', '').replace(',', '.'));
  return Number(plain.replace(',', '.'));
}
