/** Splits text into the parts that the offline model's rules use: sentences, clauses, words and stems. */

import { STOP_WORDS } from './stop-words.ts';

/** More text doesn't help the rules, and would take more time. */
const EXAMINED_CHARACTERS = 8_000;

/** The beginning of a text, in well-formed Unicode, with straight apostrophes. */
export function examined(text: string): string {
  return text.slice(0, EXAMINED_CHARACTERS).toWellFormed().replace(/[’‘]/g, "'");
}

/** The sentences of a text, trimmed, with their closing punctuation. A line break ends a sentence. */
export function sentences(text: string): string[] {
  const ends = /(?<!\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e)\.)(?<=[.!?…]["')”]?)\s+|(?<=[。！？])|\n+/;
  return kept(examined(text).split(ends));
}

/** The parts of a text between punctuation marks, where negation and noun phrases end. */
export function clauses(text: string): string[] {
  return kept(examined(text).split(/(?<=[,.;:!?()"“”…])\s+|[。！？，、；：]+|(?<=\s)[–—-]+(?=\s)|\n+/));
}

/** The words of a text in lower case. Apostrophes and hyphens inside a word belong to it. */
export function words(text: string): string[] {
  return (
    examined(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['-][\p{L}\p{M}\p{N}]+)*/gu) ?? []
  );
}

/** The words that carry meaning. */
export function contentWords(text: string): string[] {
  return words(text).filter((word) => !STOP_WORDS.has(word));
}

export function stems(text: string): string[] {
  return words(text).map(stem);
}

/**
 * Different spellings of the same word, and words that would otherwise have the stem of another word, such as "tire" and
 * "tired" or "please" and "pleased".
 */
const SAME_STEM = new Map([
  ['tire', 'tire'],
  ['tires', 'tire'],
  ['tyre', 'tire'],
  ['tyres', 'tire'],
  ['bicycle', 'bik'],
  ['bicycles', 'bik'],
  ['grey', 'grai'],
  ['please', 'please'],
]);

/** A crude stem of a word, without plural, -ing, -ed, possessive ending and British spelling. Not for display. */
export function stem(word: string): string {
  const known = SAME_STEM.get(word);
  if (known) return known;
  const singular = withoutPlural(word.replace(/'s?$/, '').replace(/(?<=..)our(?=.)|(?<=...)our$/, 'or'));
  const base = withoutEnding(withoutEnding(singular, 'ing'), 'ed');
  const short = base.length > 3 && base.endsWith('e') ? base.slice(0, -1) : base;
  return short.length > 2 && short.endsWith('y') ? `${short.slice(0, -1)}i` : short;
}

/** At most `length` characters of a text, on one line. Longer text is cut off at a word boundary and ends with an ellipsis. */
export function clip(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > length / 2 ? cut.slice(0, space) : cut).toWellFormed()}…`;
}

/** The items in quotation marks, as a list in a sentence. */
export function quoted(items: string[]): string {
  const all = items.map((item) => `"${item}"`);
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : (all[0] ?? '');
}

function kept(parts: string[]): string[] {
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutEnding(word: string, ending: 'ing' | 'ed'): string {
  const rest = word.slice(0, -ending.length);
  if (!word.endsWith(ending) || word.endsWith('eed') || rest.length < 3 || !/[aeiouy]/.test(rest))
    return word;
  return /([^aeiouylsz])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}
