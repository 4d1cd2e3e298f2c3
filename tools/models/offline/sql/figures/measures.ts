/** Decides which figure a question asks for, and from which table's rows to compute it. */

import { isProduct } from '../question/nouns.ts';
import type { Aggregate, Noun, Reading } from '../question/reading.ts';
import { entitiesIn, isQuantity, isRating, isUnits, pickField } from '../statement/pick.ts';
import { type Concept, figureOf, salesOf } from '../tables/business.ts';
import type { Entity, Field } from '../tables/catalog.ts';
import { pathTo } from '../tables/joins.ts';
import { comparedFigure, comparedRows } from './compared.ts';
import { differentThings } from './different.ts';
import { type Measure, ofField, ofFigure, ofRows, ofValues } from './figure-sql.ts';

/** Returns no measures if the question asks for rows, and a problem if the tables don't contain the figure. */
export function measuresOf(reading: Reading, entities: readonly Entity[]): Measure[] | { problem: string } {
  const things = differentThings(reading, entities);
  if (things) return 'problem' in things ? things : [things];
  const concept = conceptOf(reading, entities);
  if (concept === 'stock' && isListOfStock(reading)) return [];
  if (concept) {
    const figure = figureOf(concept, entities);
    if (!figure) return { problem: `the tables have no columns to compute ${NAMES[concept]} from` };
    const isPerRow = reading.groups.every((noun) => noun.kind === 'entity' && noun.entity === figure.base);
    if (reading.aggregates.some((each) => each !== 'sum') && (reading.counts || !isPerRow))
      return { problem: `an average of totals of ${NAMES[concept]} is not supported` };
    return [ofFigure(figure, reading.aggregates.find((each) => each !== 'sum' && each !== 'count') ?? 'sum')];
  }
  const field = numberIn(reading, entities);
  const aggregates = [...new Set(reading.aggregates)];
  if (field && aggregates.length > 0) return aggregates.map((aggregate) => ofField(field, aggregate));
  const limited = comparedFigure(reading, entities);
  if (limited) return [ofField(limited, aggregates[0] ?? 'avg')];
  const rows = comparedRows(reading);
  if (rows) return [ofRows(rows)];
  if (aggregates.some((each) => each !== 'sum' && each !== 'count'))
    return { problem: 'I cannot tell of which column to compute the average, minimum or maximum' };
  const counted = countedIn(reading);
  if (counted) return [ofCount(counted, reading, entities)];
  const implied = field && impliedAggregate(field, reading, entities);
  if (field && implied) return [ofField(field, implied)];
  const [entity] = entitiesIn(reading);
  if (reading.counts) return { problem: 'I cannot tell what to count' };
  if (reading.amounts && !field) return { problem: 'I cannot tell which column "how much" refers to' };
  if (isPlainlyBest(reading)) {
    const figure = figureOf('revenue', entities);
    if (figure) return [ofFigure(figure, 'sum')];
  }
  return reading.groups.length > 0 && entity ? [ofRows(entity)] : [];
}

/** Whether the question lists what is in stock: "which e-bikes are in stock?", "list the road bikes in stock". */
function isListOfStock({ lists, asked, nouns, named, counts, amounts, ...rest }: Reading): boolean {
  const others = [rest.groups, rest.aggregates, rest.comparisons];
  const isThing = named.length > 0 || nouns.some(({ kind }) => kind === 'entity');
  const isPlain = others.every(({ length }) => length === 0) && !counts && !amounts && !rest.ranking;
  return lists === true && isThing && isPlain && !asked;
}

/** Whether "the top store" is the one with the highest revenue, because the question has no other words. */
function isPlainlyBest({ ranking, nouns }: Reading): boolean {
  return (
    ranking !== undefined && !ranking.by && nouns.every(({ kind }) => kind === 'entity' || kind === 'period')
  );
}

const NAMES: Record<Concept, string> = {
  revenue: 'revenue',
  profit: 'profit',
  units: 'what was sold',
  stock: 'what is in stock',
};

function conceptOf(reading: Reading, entities: readonly Entity[]): Concept | undefined {
  const { nouns, ranking, comparisons, counts, sold, aggregates, groups, asked } = reading;
  const all = [ranking?.counted, ...nouns, ...comparisons.map(({ noun }) => noun)];
  const named = all.find((noun) => noun?.kind === 'concept');
  if (named?.kind === 'concept') return named.concept;
  const sales = salesOf(entities);
  const isSales = (noun: Noun | undefined) => noun?.kind === 'entity' && noun.entity === sales;
  // "Total sales" and "sales per month" mean revenue, but "how many sales" does not.
  const wantsFigure = aggregates.includes('sum') || groups.length > 0 || (ranking !== undefined && asked);
  if (
    !counts &&
    !ranking?.counted &&
    !numberIn(reading, entities) &&
    wantsFigure &&
    isSales(nouns.find((each) => each !== asked))
  )
    return figureOf('revenue', entities) && 'revenue';
  if (ranking?.by === 'popularity') return 'units';
  if (reading.amounts && sold && !numberIn(reading, entities)) return 'revenue';
  if (!sold || !sales) return undefined;
  const thing = ranking?.counted ?? (counts ? nouns.find((noun) => noun !== asked) : undefined);
  const isGoods =
    thing === undefined ||
    isProduct(thing, entities) ||
    (thing.kind === 'field' && thing.fields.some(isQuantity));
  const isAsked = counts || ranking !== undefined || groups.length > 0 || aggregates.includes('sum');
  const isCompared = comparisons.some(({ noun }) => !noun || isUnits(noun) || isProduct(noun, entities));
  return (isAsked && isGoods && !numberIn(reading, entities)) || isCompared ? 'units' : undefined;
}

/** The column with numbers that the question is about. */
export function numberIn(reading: Reading, entities: readonly Entity[]): Field | undefined {
  const compared = reading.comparisons.flatMap(({ noun }) => (noun?.kind === 'field' ? noun.fields : []));
  for (const noun of [reading.ranking?.counted, ...reading.nouns]) {
    if (noun?.kind !== 'field' || noun === reading.asked) continue;
    const numbers = noun.fields.filter((field) => field.role === 'number' && !compared.includes(field));
    const picked = pickField(numbers, reading, entities);
    if (picked) return picked;
  }
  return undefined;
}

function countedIn({ counts, distinct, ranking, nouns, asked }: Reading): Noun | undefined {
  if (ranking?.counted) return ranking.counted;
  if (!counts && !(distinct && nouns.length > 0 && !asked)) return undefined;
  return counts ? nouns.find((noun) => noun.kind !== 'period' && noun !== asked) : undefined;
}

/** The aggregate if the question names a figure without one: "the store with the best rating", "rating per brand". */
function impliedAggregate(
  field: Field,
  reading: Reading,
  entities: readonly Entity[],
): Aggregate | undefined {
  const { ranking, groups, asked } = reading;
  const own = asked?.kind === 'entity' ? asked.entity : entitiesIn(reading)[0];
  const isOwn = own !== undefined && own === field.entity;
  const isBroken = groups.length > 0 || (ranking !== undefined && asked !== undefined);
  if (ranking && !isBroken && own && !isOwn && pathTo(field.entity, own, entities)?.isSafe)
    return average(field, reading);
  if (ranking && !isBroken) return isOwn ? undefined : ranking.direction === 'desc' ? 'max' : 'min';
  if (!isBroken || (isOwn && asked?.kind === 'entity')) return undefined;
  return average(field, reading);
}

function average(field: Field, { ranking }: Reading): Aggregate {
  if (isQuantity(field)) return 'sum';
  if (isRating(field) || !ranking) return 'avg';
  return ranking.direction === 'desc' ? 'max' : 'min';
}

/** Counts rows of a table, or different values of a column. */
function ofCount(noun: Noun, reading: Reading, entities: readonly Entity[]): Measure {
  if (noun.kind === 'entity') return ofRows(noun.entity);
  const fields = noun.kind === 'field' ? noun.fields : [];
  const field = pickField(fields, reading, entities);
  if (!field) return ofRows(entitiesIn(reading)[0] ?? (entities[0] as Entity));
  if (isQuantity(field)) return ofField(field, 'sum');
  return ofValues(field);
}
