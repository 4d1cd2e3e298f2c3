/** Gathers the clues for a category: its word list, its name, and the description that the request gives it. */

import { CATEGORY_WORDS, GENERIC_HINTS, PRODUCT_THINGS } from './category-words.ts';
import { contentWords, stem, stems } from './text.ts';

/** A category that a request allows; the description may be empty. */
export interface Category {
  name: string;
  description: string;
}

export interface Clue {
  /** One word or several, separated by blanks. */
  stems: string;
  weight: number;
}

/** A category's own name and description say less than the lists made for it. */
const NAME_WEIGHT = 2;
const DESCRIPTION_WEIGHT = 1;
const DESCRIPTION_BESIDE_LIST_WEIGHT = 0.5;
/** What a list made for a category of nearly the same name still counts. */
const BORROWED = 0.5;

/** What speaks for a category: its list, its name, and the words of its description that no rival's has. */
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

/** The default list that a category uses: its own, or that of the default category it shares a word with. */
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
/** The names of things sold; they weigh by what is said about them. */
export const THINGS = clues(PRODUCT_THINGS, 0);
