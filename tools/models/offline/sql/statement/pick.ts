/** Chooses columns: one of several with the same name, the one that identifies a row, the date and the price. */

import type { Noun, Reading } from '../question/reading.ts';
import { priceOf, productsOf, salesOf } from '../tables/business.ts';
import { type Entity, type Field, isCalled } from '../tables/catalog.ts';
import { keyOf, pathTo } from '../tables/joins.ts';

/** The tables that the question names, in the order of the question. */
export function entitiesIn({ asked, nouns }: Reading): Entity[] {
  return [...(asked ? [asked] : []), ...nouns].flatMap((noun) =>
    noun.kind === 'entity' ? [noun.entity] : [],
  );
}

/**
 * Chooses between columns with the same name: prefers sales if the question is about selling, then tables that the question
 * names, then the products.
 */
export function pickField(
  fields: readonly Field[],
  reading: Reading,
  entities: readonly Entity[],
): Field | undefined {
  const sales = reading.sold ? salesOf(entities) : undefined;
  const preferred = [sales, ...entitiesIn(reading), productsOf(entities)];
  const numbers = fields.filter(({ role }) => role === 'number');
  const usable = numbers.length > 0 ? numbers : fields;
  return (
    preferred.map((entity) => usable.find((field) => field.entity === entity)).find(Boolean) ?? usable[0]
  );
}

/** The column that is nearest to a table by joins. */
export function nearest(
  fields: readonly Field[],
  base: Entity,
  entities: readonly Entity[],
): Field | undefined {
  const ways = fields.flatMap((field) => {
    const path = pathTo(base, field.entity, entities);
    return path ? [{ field, cost: path.steps.length + (path.isSafe ? 0 : 10) }] : [];
  });
  return ways.sort((a, b) => a.cost - b.cost)[0]?.field;
}

const LONGEST_LABEL = 40;

/** The columns by which people identify a row: its name, its first two short texts, or its key. */
export function labelsOf(entity: Entity): Field[] {
  const texts = entity.fields.filter(({ role, longest }) => role === 'text' && longest <= LONGEST_LABEL);
  const name = texts.find((field) => field.stems.length === 1 && isCalled(field, 'name', 'title', 'label'));
  const other = texts.find((field) => field.stems.some((stem) => stem === 'name' || stem === 'titl'));
  const key = keyOf(entity);
  if (name ?? other) return [name ?? other].filter((field) => field !== undefined);
  return texts.length > 0 ? texts.slice(0, 2) : key ? [key] : entity.fields.slice(0, 1);
}

/** The date that the question names, the table's own date, or a number that is a year. */
export function dateOf(base: Entity, { nouns }: Reading, entities: readonly Entity[]): Field | undefined {
  const named = nouns
    .flatMap((noun) => (noun.kind === 'field' ? noun.fields : []))
    .filter((field) => field.role === 'date' && pathTo(base, field.entity, entities)?.isSafe);
  const own = base.fields.filter(({ role }) => role === 'date');
  return (
    named[0] ?? own[0] ?? base.fields.find((field) => field.role === 'number' && isCalled(field, 'year'))
  );
}

export function priceFor(entity: Entity | undefined, entities: readonly Entity[]): Field | undefined {
  const products = productsOf(entities);
  return (
    (entity && priceOf(entity)) ?? (products && priceOf(products)) ?? entities.map(priceOf).find(Boolean)
  );
}

/**
 * Whether the column is a rating, whose default aggregate is the average. For quantities it is the sum, for others the minimum
 * or maximum.
 */
export function isRating(field: Field): boolean {
  return isCalled(field, 'rating', 'score', 'star', 'stars', 'grade');
}

export function isQuantity(field: Field): boolean {
  return isCalled(field, 'quantity', 'qty', 'units', 'count', 'amount', 'total');
}

/** Whether the noun only means pieces of what the question counts, as in "20 units". */
export function isUnits(noun: Noun | undefined): boolean {
  return (
    noun?.kind === 'field' && noun.fields.every((field) => isQuantity(field) && !isCalled(field, 'price'))
  );
}
