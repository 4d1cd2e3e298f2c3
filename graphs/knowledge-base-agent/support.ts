/** Whether passages say what a sentence says: a rule about words, cheap, and plain enough to be said beside the answer. */
import type { Passage } from '../tools/library/library.ts';
import { contentWords, stem } from '../tools/model/offline/text.ts';

/** The words and the numbers of a passage, and of the part around it too. */
export interface Vocabulary {
  passage: ReadonlySet<string>;
  around: ReadonlySet<string>;
}

export function vocabularyOf({ document, heading, context, text }: Passage): Vocabulary {
  const passage = new Set([document, heading, text].flatMap(termsOf));
  return { passage, around: new Set([...passage, ...termsOf(context)]) };
}

/** A sentence of fewer words that carry meaning says too little to be judged. */
const FEWEST_WORDS = 3;
/** Of a sentence's words, how many must be there; of its numbers all. */
const SHARE = 0.5;

/** Where half of the words that carry meaning are there, and all of the numbers. Questions say nothing. */
export function isSupported(sentence: string, by: readonly Vocabulary[]): boolean {
  const words = new Set(meanings(sentence));
  if (words.size < FEWEST_WORDS || sentence.trimEnd().endsWith('?')) return true;
  const isThere = (term: string) => by.some(({ around }) => around.has(term));
  const said = [...words].filter(isThere).length;
  return said >= SHARE * words.size && figures(sentence.replace(/^\s*\d+[.)]\s/, '')).every(isThere);
}

/** Whether what it says of a sentence stands in the part around the passage rather than in the passage itself. */
export function saysItAround(sentence: string, { passage, around }: Vocabulary): boolean {
  return termsOf(sentence).some((term) => around.has(term) && !passage.has(term));
}

function termsOf(text: string): string[] {
  return [...meanings(text), ...figures(text)];
}

function meanings(text: string): string[] {
  return contentWords(text).map(stem);
}

/** Numbers without what separates their digits: 1,200 is 1200. */
function figures(text: string): string[] {
  return Array.from(text.matchAll(/\d[\d.,]*/g), ([figure]) => `#${figure.replaceAll(/\D/g, '')}`);
}
