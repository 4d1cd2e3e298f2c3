/**
 * Determines the sentiment of a message from positive and negative words, with negation, intensifiers and exclamation marks.
 */

import { isQuestion } from '../language/sentence-kind.ts';
import { clauses, examined, sentences, stem, stems, words } from '../language/text.ts';
import {
  DIMINISHERS,
  INTENSIFIERS,
  NEGATIVE,
  NEGATORS,
  POSITIVE,
  STRONGLY_NEGATIVE,
  STRONGLY_POSITIVE,
  TONELESS,
  TROUBLE,
} from './tone-words.ts';

export interface Sentiment {
  label: 'positive' | 'neutral' | 'negative';
  /** From -1 to 1, with two decimals. */
  score: number;
  /** The words that contributed, in the order of the text. */
  words: string[];
  /** The strength of the opinions in either direction, at least 0. Reported troubles don't count, because they are facts. */
  opinion: number;
}

interface ToneWord {
  word: string;
  value: number;
  isOpinion: boolean;
}

const LABEL_THRESHOLD = 0.25;
/** The maximum distance from a negator to the word, as in "not a very good bike". */
const NEGATION_REACH = 3;
/** "Not good" is negative, but less strongly than "good" is positive. */
const NEGATED = -0.7;

const VALUES = new Map<string, { value: number; isOpinion: boolean }>();
for (const [entries, value, isOpinion] of [
  [TONELESS, 0, false],
  [TROUBLE, -1, false],
  [POSITIVE, 1.5, true],
  [NEGATIVE, -1.5, true],
  [STRONGLY_POSITIVE, 3, true],
  [STRONGLY_NEGATIVE, -3, true],
] as const) {
  for (const entry of entries) VALUES.set(stems(entry).join(' ') || entry, { value, isOpinion });
}

export function sentiment(text: string): Sentiment {
  const heard = [...sentences(text).flatMap(toneInSentence), ...emojis(text)];
  const exclamations = Math.min(3, examined(text).match(/!/g)?.length ?? 0);
  const sum = heard.reduce((total, { value }) => total + value, 0) * (1 + 0.1 * exclamations);
  // Grows with the sum and never exceeds 1, as in VADER (Hutto and Gilbert 2014). 8 fits this list's scale from -3 to 3.
  const score = Math.round((100 * sum) / Math.sqrt(sum * sum + 8)) / 100 || 0;
  return {
    label: score >= LABEL_THRESHOLD ? 'positive' : score <= -LABEL_THRESHOLD ? 'negative' : 'neutral',
    score,
    words: [...new Set(heard.map(({ word }) => word))],
    opinion: heard.reduce((total, { value, isOpinion }) => total + (isOpinion ? Math.abs(value) : 0), 0),
  };
}

/** In questions, only negative words count: "which is the best?" is no praise, but "why is it so bad?" is a complaint. */
function toneInSentence(sentence: string): ToneWord[] {
  const heard = clauses(sentence)
    .flatMap(toneIn)
    .filter(({ value }) => value !== 0);
  return isQuestion(sentence) ? heard.filter(({ value }) => value < 0) : heard;
}

function toneIn(clause: string): ToneWord[] {
  const all = words(clause);
  const found: ToneWord[] = [];
  for (let at = 0; at < all.length; at++) {
    const word = all[at] ?? '';
    const next = all[at + 1];
    const pair = `${word} ${next ?? ''}`;
    const paired = next === undefined ? undefined : VALUES.get(stems(pair).join(' '));
    const known = paired ?? VALUES.get(stem(word));
    if (!known) continue;
    const before = all.slice(Math.max(0, at - NEGATION_REACH), at);
    const negation = before.findLastIndex(isNegator);
    const said = [...(negation < 0 ? [] : before.slice(negation)), paired ? pair : word].join(' ');
    found.push({
      word: said,
      value: known.value * factor(before),
      isOpinion: known.isOpinion,
    });
    if (paired) at++;
  }
  return found;
}

/** The factor by which the words before an opinion change it. */
function factor(before: string[]): number {
  const last = before.at(-1) ?? '';
  const degree = INTENSIFIERS.has(last) ? 1.4 : DIMINISHERS.has(last) ? 0.6 : 1;
  return before.some(isNegator) ? degree * NEGATED : degree;
}

function isNegator(word: string): boolean {
  return NEGATORS.has(word) || word.endsWith("n't");
}

function emojis(text: string): ToneWord[] {
  const symbols = examined(text).match(/\p{Extended_Pictographic}/gu) ?? [];
  return [...new Set(symbols)].flatMap((word) => {
    const known = VALUES.get(word);
    return known ? [{ word, ...known }] : [];
  });
}
