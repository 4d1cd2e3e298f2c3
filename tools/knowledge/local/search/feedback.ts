/** Adds search terms from the best passages: pseudo-relevance feedback, for weak first searches. */
import { smallWordsOf } from '../words/small-words.ts';
import { termOf, wordsOf } from '../words/terms.ts';
import type { Vocabulary } from '../words/vocabulary.ts';
import type { Wanted } from './wanted.ts';

const EXAMINED = 5;
const MAX_TERMS = 6;
// The weight of an added term, relative to that of a word in the question.
const SHARE = 0.15;
const SHORTEST = 4;

/** Words that occur in several of the best passages but not in the query, rarest first. */
export function feedbackOf(
  best: readonly { hit: { heading: string; text: string } }[],
  wanted: readonly Wanted[],
  vocabulary: Vocabulary,
): Wanted[] {
  const queryTerms = new Set(wanted.flatMap(({ forms }) => forms.map(({ term }) => term)));
  const found = new Map<string, { word: string; passages: number }>();
  for (const { hit } of best.slice(0, EXAMINED)) {
    const terms = new Map(wordsOf(`${hit.heading} ${hit.text}`).map((word) => [termOf(word), word]));
    for (const [term, word] of terms)
      found.set(term, { word, passages: (found.get(term)?.passages ?? 0) + 1 });
  }
  const { isSmall, isVague } = smallWordsOf([]);
  return Array.from(found, ([term, { word, passages }]) => ({
    term,
    word,
    passages,
    weight: vocabulary.weight(term),
  }))
    .filter(
      ({ term, word, passages }) =>
        passages > 1 &&
        !queryTerms.has(term) &&
        word.length >= SHORTEST &&
        !isSmall(word) &&
        !isVague(word) &&
        !/^\d/.test(word),
    )
    .sort((a, b) => b.passages * b.weight - a.passages * a.weight || (a.term < b.term ? -1 : 1))
    .slice(0, MAX_TERMS)
    .map(({ term, word, weight }) => ({ word, weight: SHARE * weight, forms: [{ term, word, credit: 1 }] }));
}
