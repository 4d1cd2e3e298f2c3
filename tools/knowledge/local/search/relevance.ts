/** Scores the relevance of passages to a query: BM25 over their fields, and proximity of the words. */
import { plain, termOf, wordsOf } from '../words/terms.ts';
import type { Wanted } from './wanted.ts';

export interface Text {
  /** The document's name. */
  document: string;
  heading: string;
  text: string;
}

export interface Relevance {
  score: number;
  /** The share of the query's weight that the passage contains, from 0 to 1. */
  share: number;
  /** The number of query terms that the passage contains. */
  matched: number;
}

/** Tuned with the questions of the evaluation's development set. Changing a value by a third makes little difference. */
const TUNED = {
  /** BM25's parameters: how fast repetition saturates, and how much length is penalized. */
  saturation: 2,
  lengths: 0.5,
  /**
   * The weights of an occurrence in the heading, in the headings above and in the document's name. In the text, the weight is
   * 1.
   */
  heading: 3,
  above: 1,
  document: 2,
  /** The bonus for two adjacent words of the question, relative to their weight. */
  pair: 0.2,
  /** The share of its score that a passage loses if it contains no other words of the question. */
  coverage: 0.3,
};

export function openRelevance(wanted: readonly Wanted[], averageLength: number) {
  const places = new Map<string, { at: number; credit: number }[]>();
  wanted.forEach(({ forms }, at) => {
    for (const { term, credit } of forms) places.set(term, [...(places.get(term) ?? []), { at, credit }]);
  });
  // All forms of a word begin with the same letter, so most words of a passage can be skipped.
  const firsts = new Set(Array.from(places.keys(), (term) => term.charCodeAt(0)));
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0);

  return ({ document, heading, text }: Text): Relevance => {
    const frequencies = new Float64Array(wanted.length);
    const credits = new Float64Array(wanted.length);
    const pairs = new Float64Array(wanted.length);

    function count(words: readonly string[], each: number): void {
      let before = -1;
      let distance = 9;
      for (const word of words) {
        distance++;
        if (!firsts.has(word.charCodeAt(0))) continue;
        for (const { at, credit } of places.get(termOf(word)) ?? []) {
          frequencies[at] = (frequencies[at] ?? 0) + each * credit;
          credits[at] = Math.max(credits[at] ?? 0, credit);
          if (before >= 0 && before !== at && distance <= 2)
            pairs[at] = Math.max(
              pairs[at] ?? 0,
              Math.min(wanted[before]?.weight ?? 0, wanted[at]?.weight ?? 0),
            );
          before = at;
          distance = 0;
        }
      }
    }

    const body = wordsOf(text);
    const headings = heading === '' ? [] : heading.split(' > ');
    count(body, 1);
    count(wordsOf(headings.at(-1) ?? ''), TUNED.heading);
    count(wordsOf(headings.slice(0, -1).join(' ')), TUNED.above);
    count(namesOf(document), TUNED.document);
    const norm = TUNED.saturation * (1 - TUNED.lengths + (TUNED.lengths * body.length) / averageLength);
    let score = 0;
    let share = 0;
    wanted.forEach(({ weight }, at) => {
      const frequency = frequencies[at] ?? 0;
      score +=
        (weight * frequency * (TUNED.saturation + 1)) / (frequency + norm) + TUNED.pair * (pairs[at] ?? 0);
      share += weight * (credits[at] ?? 0);
    });
    const covered = total === 0 ? 0 : share / total;
    return {
      score: score * (1 - TUNED.coverage + TUNED.coverage * covered),
      share: covered,
      matched: credits.filter((credit) => credit > 0).length,
    };
  };
}

/** The words of a path without its extension. Splits joined words, such as "LoadingData". */
function namesOf(document: string): string[] {
  return wordsOf(
    plain(document.replace(/\.\w+$/, '').replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')).replaceAll('_', ' '),
  );
}
