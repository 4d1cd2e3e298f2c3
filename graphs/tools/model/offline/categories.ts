/** Finds the category of a message among those that the request allows, with the words that decided. */

import { CATEGORY_WORDS, GENERIC_HINTS, PRODUCT_THINGS } from './category-words.ts';
import { isQuestion } from './sentence-kind.ts';
import type { Sentiment } from './sentiment.ts';
import { contentWords, sentences, stem, stems } from './text.ts';

export interface Choice {
  category: string;
  /** 0.35 when nothing decided, up to 0.95. */
  confidence: number;
  /** The words of the message that decided, the weightiest first. */
  evidence: string[];
}

/** A category that a request allows; the description may be empty. */
export interface Category {
  name: string;
  description: string;
}

interface Clue {
  phrase: string;
  stems: string;
  weight: number;
}

/** A category's own name and description say less than the lists made for it. */
const NAME_WEIGHT = 2;
const DESCRIPTION_WEIGHT = 1;
const DESCRIPTION_BESIDE_LIST_WEIGHT = 0.5;
/** Below this a single casual word would decide. */
const LEAST_WITH_LIST = 2;
const LEAST_WITHOUT_LIST = 1;
const FALLBACK_NAMES = ['other', 'general', 'misc', 'miscellaneous', 'unknown', 'none', 'fallback', 'default'];

export function choose(text: string, categories: Category[], tone: Sentiment): Choice {
  const message = ` ${stems(text).join(' ')} `;
  const fallback = categories.find(({ name }) => FALLBACK_NAMES.includes(name.toLowerCase())) ?? categories.at(-1);
  const scored = categories.map((category) => {
    const list = listOf(category.name, categories);
    const found = cluesOf(category, categories).filter((clue) => message.includes(` ${clue.stems} `));
    const all = [...found, ...situation(text, message, list, tone)].sort((a, b) => b.weight - a.weight);
    const score = all.reduce((sum, { weight }) => sum + weight, 0);
    const isEnough = score >= (CATEGORY_WORDS.has(list) ? LEAST_WITH_LIST : LEAST_WITHOUT_LIST);
    return { name: category.name, score: isEnough ? score : 0, clues: all };
  });
  const [best, second] = scored.toSorted((a, b) => b.score - a.score);
  if (!best || best.score === 0) return { category: fallback?.name ?? 'other', confidence: 0.35, evidence: [] };

  const margin = (best.score - (second?.score ?? 0)) / (best.score + (second?.score ?? 0) + 1);
  const confidence = Math.round(100 * Math.min(0.95, 0.35 + 0.7 * margin)) / 100;
  return { category: best.name, confidence, evidence: evidence(best.clues) };
}

/** What is no single word: a question that names a product, and an opinion with nothing but its tone to tell it. */
function situation(text: string, message: string, list: string, tone: Sentiment): Clue[] {
  if (list === 'feedback' && tone.opinion > 0) {
    return [{ phrase: tone.words[0] ?? '', stems: '', weight: Math.min(4, 0.8 * tone.opinion) }];
  }
  if (list !== 'product_inquiry') return [];
  const thing = THINGS.find((clue) => message.includes(` ${clue.stems} `));
  return thing ? [{ ...thing, weight: sentences(text).some(isQuestion) ? 2 : 0.5 }] : [];
}

function cluesOf(category: Category, all: Category[]): Clue[] {
  const list = listOf(category.name, all);
  const known = CLUES.get(list) ?? [];
  const taken = new Set(known.map((clue) => clue.stems));
  const name = hints(category.name.replace(/[_-]+/g, ' '), list === category.name ? 0 : NAME_WEIGHT);
  const rivals = new Set(all.filter((other) => other !== category).flatMap(({ description }) => stems(description)));
  const described = hints(category.description, known.length > 0 ? DESCRIPTION_BESIDE_LIST_WEIGHT : DESCRIPTION_WEIGHT);
  const own = [...name, ...described.filter((clue) => !rivals.has(clue.stems))];
  return [...known, ...own.filter((clue) => clue.weight > 0 && !taken.has(clue.stems) && taken.add(clue.stems))];
}

/** The default list that a category uses: its own, or that of the default category it shares a word with. */
function listOf(name: string, all: Category[]): string {
  if (CATEGORY_WORDS.has(name)) return name;
  const parts = stems(name.replace(/[_-]+/g, ' '));
  const kin = [...CATEGORY_WORDS.keys()].find((key) => stems(key.replace('_', ' ')).some((part) => parts.includes(part)));
  return kin && !all.some((category) => category.name === kin) ? kin : '';
}

function hints(text: string, weight: number): Clue[] {
  return contentWords(text)
    .filter((word) => word.length > 2 && !GENERIC_HINTS.has(word) && !GENERIC_HINTS.has(stem(word)))
    .map((word) => ({ phrase: word, stems: stem(word), weight }));
}

/** Longer clues say more, and the words inside one need not be told again. */
function evidence(clues: Clue[]): string[] {
  const told: string[] = [];
  for (const { phrase } of clues) if (!told.some((each) => ` ${each} `.includes(` ${phrase} `))) told.push(phrase);
  return told.slice(0, 3);
}

function clues(entries: string[], weight: number): Clue[] {
  return entries.map((phrase) => ({ phrase, stems: stems(phrase).join(' '), weight }));
}

const CLUES = new Map(
  [...CATEGORY_WORDS].map(([name, { strong, weak }]) => [name, [...clues(strong, 2), ...clues(weak, 1)]] as const),
);
const THINGS = clues(PRODUCT_THINGS, 0);
