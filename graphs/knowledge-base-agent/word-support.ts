/**
 * Decides whether passages support a sentence, by comparing words. This is cheap and easy to explain to readers of the answer.
 */
import type { Passage } from '../../tools/knowledge/library.ts';
import { contentWords, stem } from '../../tools/models/offline/language/text.ts';

/** The words and numbers of a passage, and those of the passage with its section. */
export interface Vocabulary {
  passage: ReadonlySet<string>;
  around: ReadonlySet<string>;
}

export function vocabularyOf({ document, heading, context, text }: Passage): Vocabulary {
  const passage = new Set([document, heading, text].flatMap(termsOf));
  return { passage, around: new Set([...passage, ...termsOf(context)]) };
}

/** What to check in a sentence. */
export interface Checked {
  numbers: boolean;
  /** If false, the words are not checked. */
  words: boolean;
}

/** A sentence with fewer meaningful words is too short to judge. */
const FEWEST_WORDS = 3;
/** The share of a sentence's words that must occur in the passages. All of its numbers must occur. */
const SHARE = 0.5;

/**
 * True if half of the meaningful words and all numbers occur in the passages. Also true for questions, because they claim
 * nothing.
 */
export function isSupported(sentence: string, by: readonly Vocabulary[], checked: Checked): boolean {
  if (sentence.trimEnd().endsWith('?')) return true;
  const words = new Set(meanings(sentence));
  const isLong = words.size >= FEWEST_WORDS;
  const isThere = (term: string) => by.some(({ around }) => around.has(term));
  const found = [...words].filter(isThere).length;
  if (checked.words && isLong && found < SHARE * words.size) return false;
  return !(checked.numbers || isLong) || figures(sentence.replace(/^\s*\d+[.)]\s/, '')).every(isThere);
}

/** Whether a sentence's support is in the section around the passage rather than in the passage itself. */
export function saysItAround(sentence: string, { passage, around }: Vocabulary): boolean {
  const terms = [...meanings(sentence), ...figures(sentence)];
  return terms.some((term) => around.has(term) && !passage.has(term));
}

function termsOf(text: string): string[] {
  return [...meanings(text), ...figures(text), ...spelledOut(text)];
}

function meanings(text: string): string[] {
  return contentWords(text).map(stem);
}

/** Normalizes numbers: 1,200 is 1200, 5.10 is 5.1, and 9:00 is 9. */
function figures(text: string): string[] {
  return Array.from(text.matchAll(/(\d[\d.,]*)(?::00(?!\d))?/g), ([, figure = '']) => `#${plain(figure)}`);
}

/** Three digits after each separator are thousands; otherwise the last separator begins the decimals. */
function plain(figure: string): string {
  const number = figure.replace(/(?<![.,])[.,]+$/, '');
  if (/^\d{1,3}(?:[.,]\d{3})+$/.test(number)) return number.replaceAll(/[.,]/g, '');
  const [, whole = number, decimals = ''] = /^(.*)[.,](\d*)$/.exec(number) ?? [];
  const rest = decimals.replace(/(?<!0)0+$/, '');
  return whole.replaceAll(/[.,]/g, '').replace(/^0+(?=\d)/, '') + (rest === '' ? '' : `.${rest}`);
}

const SPELLED = new Map(
  `zero one two three four five six seven eight nine ten
  eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty`
    .split(/\s+/)
    .map((word, number) => [word, number]),
);

/**
 * Only for passages: an answer may write "2 years" for a passage's "two years". In an answer, "there are two ways" may count
 * things without any passage containing the number.
 */
function spelledOut(text: string): string[] {
  const all = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return all.flatMap((word) => SPELLED.get(word) ?? []).map((number) => `#${number}`);
}
