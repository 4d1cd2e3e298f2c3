/** Detects follow-ups that refer to an earlier result, which the rules have not seen, or that are too short to change a question. */

import { numberIn } from '../figures/measures.ts';
import type { Reading } from '../question/reading.ts';
import type { Entity } from '../tables/catalog.ts';

const RESULT =
  /\b(?:which ones?|both|together|compare (?:them|these|those|both)|each of (?:them|these|those))\b/i;
const PRONOUN = /\b(?:it|its|they|their|them|those|these|that one|this one)\b/i;

/** Why the follow-up can't be answered from the earlier question; undefined if it can. */
export function unresolved(
  question: string,
  { earlier, next, entities }: { earlier: Reading; next: Reading; entities: readonly Entity[] },
): string | undefined {
  const [result] = RESULT.exec(question) ?? [];
  if (result) return `I have not seen the earlier results, so I cannot tell what "${result}" means`;
  const isFirst = earlier.ranking !== undefined || earlier.comparisons.length > 0;
  const [pronoun] = (isFirst && PRONOUN.exec(question)) || [];
  if (pronoun) return `I have not seen the earlier result, so I cannot tell what "${pronoun}" means`;
  if (earlier.ranking && next.comparisons.length > 0)
    return 'sorting by one figure and limiting another one is not supported';
  const narrowing = [next.named, next.spans, next.months, next.groups, next.comparisons, next.unknown];
  if (narrowing.some(({ length }) => length > 0) || next.ranking || next.counts || next.amounts || next.sold)
    return undefined;
  if (next.aggregates.length > 0 && next.nouns.length === 0 && !numberIn(earlier, entities))
    return 'I cannot tell of which column to compute the total, average, minimum or maximum';
  const isFigure = next.nouns.some(({ kind }) => kind === 'concept') || numberIn(next, entities);
  return isFigure || next.nouns.length === 0 || isCountOf(earlier, next) ? undefined : NO_CHANGE;
}

const NO_CHANGE = 'I cannot tell what to change in the previous question';

/** Whether a count is followed by another noun: "how many stores are there?", "and products?". */
export function isCountOf(earlier: Reading, next: Reading): boolean {
  const others = [earlier.aggregates, earlier.groups, earlier.comparisons, next.aggregates, earlier.named];
  const [noun] = next.nouns;
  return (
    earlier.counts === true &&
    !earlier.sold &&
    !earlier.ranking &&
    earlier.nouns.length === 1 &&
    next.nouns.length === 1 &&
    noun?.kind === 'entity' &&
    others.every(({ length }) => length === 0)
  );
}

/** Whether the follow-up is not a complete question, such as "and how many e-bikes?" or "and the number of reviews?". */
export function continues(
  question: string,
  earlier: Reading,
  { counts, asked, spans, named, sold }: Reading,
): boolean {
  const isShort =
    question.trim().split(/\s+/).length <= 6 && !/\b(?:are|is|do|have) (?:there|we)\b/i.test(question);
  if (earlier.sold && counts && !sold && /\bhow many of (?:them|these|those)\b/i.test(question)) return true;
  if (!isShort || !counts || asked || sold || !/^\W*and\b/i.test(question)) return false;
  return earlier.sold === true || (spans.length === 0 && named.length === 0 && !earlier.ranking);
}

/** "Which store has the lowest?" takes the figure from the previous question. */
export function isBareSuperlative(question: string, { asked, ranking, nouns }: Reading): boolean {
  const ends =
    /\b(?:has|had|have|with) the (?:highest|lowest|most|fewest|least|best|worst|smallest|largest)\W*$/i;
  return asked !== undefined && nouns.length === 1 && ranking !== undefined && ends.test(question);
}

export function rankedAnew(earlier: Reading, { asked, ranking, nouns }: Reading): Reading {
  const { asked: _, ranking: __, ...rest } = earlier;
  const figures = earlier.nouns.filter((noun) => noun !== earlier.asked);
  return {
    ...rest,
    ...(asked ? { asked } : {}),
    ...(ranking ? { ranking } : {}),
    nouns: [...nouns, ...figures],
    groups: [],
  };
}
