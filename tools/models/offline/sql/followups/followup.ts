/** Combines follow-ups with the previous question: "and for 2023?" is the same question with another year. */

import { numberIn } from '../figures/measures.ts';
import { isProduct } from '../question/nouns.ts';
import type { Named, Ranking, Reading } from '../question/reading.ts';
import { isPlace } from '../question/values.ts';
import type { Entity } from '../tables/catalog.ts';
import { continues, isBareSuperlative, isCountOf, rankedAnew, unresolved } from './references.ts';

const OPENING =
  /^\W*(?:and\b|also\b|but\b|or\b|what about\b|how about\b|only\b|now\b|same\b|the same\b|just\b|instead\b|for\b|in\b)/i;

/** The complete reading of a question that may only change a part of an earlier question. */
export function goneOn(
  question: string,
  { earlier, next, entities }: { earlier: Reading; next: Reading; entities: readonly Entity[] },
): Reading {
  if (isBareSuperlative(question, next)) return rankedAnew(earlier, next);
  const isAlso = continues(question, earlier, next);
  if (!isAlso && !isFollowUp(question, next, entities)) return next;
  const problem = unresolved(question, { earlier, next, entities });
  if (problem !== undefined) return { ...next, problem };
  if (isCountOf(earlier, next) && !asksFigure(next, entities)) return { ...earlier, nouns: next.nouns };
  if (
    isAlso &&
    earlier.sold &&
    next.counts &&
    !next.sold &&
    next.nouns.every((noun) => isProduct(noun, entities))
  )
    return followed(earlier, { ...next, counts: false, nouns: [] }, entities);
  return followed(earlier, next, entities);
}

/** Whether the question changes a part of the previous one, instead of being complete. */
function isFollowUp(question: string, reading: Reading, entities: readonly Entity[]): boolean {
  if (/\b(?:they|them|those|these|it)\b/i.test(question)) return true;
  if (!OPENING.test(question))
    return !asksFigure(reading, entities) && reading.nouns.length === 0 && !reading.asked;
  return !(
    asksFigure(reading, entities) &&
    (reading.asked ?? reading.nouns.some(({ kind }) => kind === 'entity'))
  );
}

function asksFigure(reading: Reading, entities: readonly Entity[]): boolean {
  const { counts, sold, aggregates, nouns, ranking } = reading;
  return Boolean(
    counts ||
      sold ||
      ranking ||
      aggregates.length > 0 ||
      nouns.some(({ kind }) => kind === 'concept') ||
      numberIn(reading, entities),
  );
}

/** Parts of the follow-up replace the parts of the same kind in the earlier question. */
function followed(earlier: Reading, next: Reading, entities: readonly Entity[]): Reading {
  const isNewFigure = asksFigure(next, entities);
  const isRegrouped = next.groups.length > 0;
  const times = next.spans.length + next.months.length > 0 ? next : earlier;
  if (next.ranking && isOnlyRanking(next))
    return { ...earlier, ranking: { ...earlier.ranking, ...said(next.ranking) } };
  // "And the median?" refers to the same column.
  if (next.aggregates.length > 0 && next.nouns.length === 0 && !next.counts && !next.ranking)
    return { ...followed(earlier, { ...next, aggregates: [] }, entities), aggregates: next.aggregates };
  const { asked, ranking, ...rest } = earlier;
  return {
    ...rest,
    // "Per country" after "which store is the first?" asks for all countries.
    ...(isRegrouped ? {} : { ...(asked ? { asked } : {}), ...(ranking ? { ranking } : {}) }),
    ...(isNewFigure ? figurePart(next) : {}),
    nouns: isNewFigure
      ? [...next.nouns, ...earlier.nouns.filter(({ kind }) => kind === 'entity')]
      : earlier.nouns.filter((noun) => !isRegrouped || noun !== asked),
    groups: isRegrouped ? next.groups : earlier.groups,
    named: narrowed(earlier.named, next.named),
    comparisons: next.comparisons.length > 0 ? next.comparisons : earlier.comparisons,
    spans: times.spans,
    months: times.months,
    unknown: next.unknown,
  };
}

/** Whether the follow-up only has a ranking: "and the fewest?" reverses the order of the same figure. */
function isOnlyRanking({
  ranking,
  nouns,
  counts,
  sold,
  aggregates,
  named,
  spans,
  unknown,
}: Reading): boolean {
  const parts = [nouns, aggregates, named, spans, unknown].map(({ length }) => length);
  return !ranking?.counted && !counts && !sold && parts.every((length) => length === 0);
}

function said({ direction, limit, by }: Ranking): Ranking {
  return { direction, ...(limit === undefined ? {} : { limit }), ...(by ? { by } : {}) };
}

function figurePart({ counts, amounts, sold, distinct, aggregates, ranking }: Reading): Partial<Reading> {
  return {
    counts: counts === true,
    amounts: amounts === true,
    sold: sold === true,
    distinct: distinct === true,
    aggregates,
    ...(ranking ? { ranking } : {}),
  };
}

/** Adds the new values. For example, another city or country replaces the city, but keeps the category. */
function narrowed(earlier: readonly Named[], next: readonly Named[]): Named[] {
  const taken = new Set(next.flatMap(({ fields }) => fields));
  const places = new Set(next.flatMap(({ fields }) => fields.filter(isPlace).map(({ entity }) => entity)));
  const isMoved = ({ fields }: Named) => fields.some((field) => isPlace(field) && places.has(field.entity));
  const isLeft = (each: Named) => !each.fields.some((field) => taken.has(field)) && !isMoved(each);
  return [...earlier.filter(isLeft), ...next];
}
