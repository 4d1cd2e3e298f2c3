/** Finds the category of a message among those that the request allows, and the words that decided it. */

import { isQuestion } from '../language/sentence-kind.ts';
import { sentences, stem, stems, words } from '../language/text.ts';
import { type Category, type Clue, cluesOf, listOf, THINGS } from './category-clues.ts';
import type { Sentiment } from './sentiment.ts';

export interface Choice {
  category: string;
  /** From 0.35, if no word was decisive, to 0.95. */
  confidence: number;
  /** The words of the message with the highest weights, in the order of the text; at most three phrases. */
  evidence: string[];
}

/** Below this score, only faint words were found. */
const MIN_TO_DECIDE = 1;
const FALLBACK_NAMES = [
  'other',
  'general',
  'misc',
  'miscellaneous',
  'unknown',
  'none',
  'fallback',
  'default',
];

export function choose(text: string, categories: Category[], tone: Sentiment): Choice {
  const message = ` ${stems(text).join(' ')} `;
  const fallback =
    categories.find(({ name }) => FALLBACK_NAMES.includes(name.toLowerCase())) ?? categories.at(-1);
  const scored = categories.map((category) => {
    const list = listOf(category.name, categories);
    const found = cluesOf(category, categories).filter((clue) => message.includes(` ${clue.stems} `));
    const all = [...found, ...situation(text, message, list, tone)].sort((a, b) => b.weight - a.weight);
    const score = all.reduce((sum, { weight }) => sum + weight, 0);
    return { name: category.name, score: score >= MIN_TO_DECIDE ? score : 0, clues: all };
  });
  // If two sums are equal, the category with the strongest single clue wins.
  const strongest = (clues: Clue[]) => clues[0]?.weight ?? 0;
  const [best, second] = scored.toSorted(
    (a, b) => b.score - a.score || strongest(b.clues) - strongest(a.clues),
  );
  if (!best || best.score === 0)
    return { category: fallback?.name ?? 'other', confidence: 0.35, evidence: [] };

  const margin = (best.score - (second?.score ?? 0)) / (best.score + (second?.score ?? 0) + 1);
  const confidence = Math.round(100 * Math.min(0.95, 0.35 + 0.7 * margin)) / 100;
  return { category: best.name, confidence, evidence: evidence(best.clues, words(text)) };
}

/** Clues beyond single words: how the message mentions a product, and an opinion that only its tone shows. */
function situation(text: string, message: string, list: string, tone: Sentiment): Clue[] {
  if (list === 'feedback') {
    const opinion = tone.words
      .map((word) => stems(word).join(' '))
      .find((word) => message.includes(` ${word} `));
    return opinion && tone.opinion > 0
      ? [{ stems: opinion, weight: Math.min(4, Math.max(MIN_TO_DECIDE, 0.8 * tone.opinion)) }]
      : [];
  }
  if (list !== 'product_inquiry' && list !== 'support') return [];
  const thing = THINGS.find((clue) => message.includes(` ${clue.stems} `));
  if (!thing) return [];
  const isAsked = sentences(text).some(isQuestion);
  if (list === 'product_inquiry') return [{ ...thing, weight: isAsked ? 1.5 : 0.5 }];
  // A message about a thing without a question or praise is usually about a problem.
  return !isAsked && tone.score <= 0 ? [{ ...thing, weight: 1 }] : [];
}

/** The decisive clues, in the words of the message. Clues inside another clue are left out. */
function evidence(clues: Clue[], said: string[]): string[] {
  const stemmed = ` ${said.map(stem).join(' ')} `;
  const decisive = clues.filter(({ weight }) => weight > Math.min(clues[0]?.weight ?? 0, 2) / 2);
  const outermost = decisive.filter(
    ({ stems: inner }, at) =>
      !decisive.some(({ stems: outer }, other) =>
        inner === outer ? other < at : ` ${outer} `.includes(` ${inner} `),
      ),
  );
  const phrases = outermost.slice(0, 3).map((clue) => {
    const at = stemmed.slice(0, stemmed.indexOf(` ${clue.stems} `)).split(' ').length - 1;
    return { at, phrase: said.slice(at, at + clue.stems.split(' ').length).join(' ') };
  });
  return phrases.toSorted((a, b) => a.at - b.at).map(({ phrase }) => phrase);
}
