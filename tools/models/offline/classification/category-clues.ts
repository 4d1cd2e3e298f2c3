/** Collects the clues for a category: its word list, its name, and its description in the request. */

import { contentWords, stem, stems } from '../language/text.ts';
import { CATEGORY_WORDS, GENERIC_HINTS, PRODUCT_THINGS } from './category-words.ts';

/** A category that a request allows. The description may be empty. */
export interface Category {
  name: string;
  description: string;
}

export interface Clue {
  /** The stem of one word or of several, separated by spaces. */
  stems: string;
  weight: number;
}

/** The weights of words in a category's name and description, which are less reliable than the lists for it. */
const NAME_WEIGHT = 2;
const DESCRIPTION_WEIGHT = 1;
const DESCRIPTION_BESIDE_LIST_WEIGHT = 0.5;
/** The factor for the list of a default category with a similar name. */
const BORROWED = 0.5;

/** The clues for a category: its list, its name, and the words of its description that are not in another category's. */
export function cluesOf(category: Category, all: Category[]): Clue[] {
  const list = listOf(category.name, all);
  const isBorrowed = list !== category.name;
  const rivals = new Set(
    all
      .filter((other) => other !== category)
      .flatMap(({ name, description }) => stems(`${spaced(name)} ${description}`)),
  );
  const known = (CLUES.get(list) ?? [])
    .filter((clue) => !(isBorrowed || list === 'other') || !rivals.has(clue.stems))
    .map((clue) => (isBorrowed ? { ...clue, weight: clue.weight * BORROWED } : clue));
  const described = hints(
    category.description,
    isBorrowed ? DESCRIPTION_WEIGHT : DESCRIPTION_BESIDE_LIST_WEIGHT,
  );
  const own = [
    ...(isBorrowed ? hints(spaced(category.name), NAME_WEIGHT) : []),
    ...described.filter((clue) => !rivals.has(clue.stems)),
  ];
  const seen = new Set<string>();
  return [...own, ...known]
    .toSorted((a, b) => b.weight - a.weight)
    .filter((clue) => !seen.has(clue.stems) && seen.add(clue.stems));
}

/** The name of the list that a category uses: its own, or that of a default category with a common word in the name. */
export function listOf(name: string, all: Category[]): string {
  if (CATEGORY_WORDS.has(name)) return name;
  const parts = stems(spaced(name));
  const kin = [...CATEGORY_WORDS.keys()].find((key) =>
    stems(spaced(key)).some((part) => parts.includes(part)),
  );
  return kin && !all.some((category) => category.name === kin) ? kin : '';
}

function spaced(name: string): string {
  return name.replace(/[_-]+/g, ' ');
}

function hints(text: string, weight: number): Clue[] {
  return contentWords(text)
    .filter((word) => word.length > 2 && !GENERIC_HINTS.has(word) && !GENERIC_HINTS.has(stem(word)))
    .map((word) => ({ stems: stem(word), weight }));
}

function clues(entries: string[], weight: number): Clue[] {
  return [...new Set(entries.map((entry) => stems(entry).join(' ')))].map((entry) => ({
    stems: entry,
    weight,
  }));
}

const CLUES = new Map(
  [...CATEGORY_WORDS].map(
    ([name, { strong, weak, faint }]) =>
      [name, [...clues(strong, 2), ...clues(weak, 1), ...clues(faint, 0.5)]] as const,
  ),
);
/** The names of products. Their weight depends on what is said about them. */
export const THINGS = clues(PRODUCT_THINGS, 0);
