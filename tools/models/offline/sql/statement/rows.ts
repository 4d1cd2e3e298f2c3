/** Statements that list rows: all rows of a table, the matching ones, or the first ones in an order. */

import type { Reading } from '../question/reading.ts';
import { quantityOf, salesOf, stockOf } from '../tables/business.ts';
import type { Entity, Field } from '../tables/catalog.ts';
import { conditionsOf } from './conditions.ts';
import { draft as startDraft } from './draft.ts';
import { dateOf, entitiesIn, labelsOf, pickField, priceFor } from './pick.ts';
import type { Parts } from './statement.ts';

const SOME = 5;

export function rows(reading: Reading, entities: readonly Entity[]): Parts | { problem: string } {
  const thing = thingOf(reading, entities);
  if (!thing) return { problem: 'I cannot tell which table the question is about' };
  const sales = reading.sold ? salesOf(entities) : undefined;
  const stock = nounsStock(reading) ? stockOf(entities) : undefined;
  const kept = stock && quantityOf(stock);
  if (sales && stock) return { problem: 'sales and stock cannot be combined in one question' };
  const base = sales ?? stock ?? thing;
  const draft = startDraft(base, entities);
  const held = kept && draft.column(kept);
  const conditions = conditionsOf(reading, draft, { entities, comparisons: reading.comparisons });
  if ('problem' in conditions) return conditions;
  const order = orderOf(reading, thing, entities);
  if (order && 'problem' in order) return order;
  const fields = columnsOf(reading, thing, { isSale: sales !== undefined && sales !== thing, entities });
  const select = fields.map((field) => draft.column(field)).filter((column) => column !== undefined);
  const by = order && draft.column(order.field);
  const isDistinct = reading.asked?.kind === 'field' || draft.repeats() || base !== thing;
  const { ranking } = reading;
  return {
    draft,
    distinct: isDistinct,
    select: by && !select.includes(by) ? [...select, by] : select,
    where: held ? [...conditions.sql, `${held} > 0`] : conditions.sql,
    orderBy: by ? [`${by} ${ranking?.direction === 'asc' ? 'ASC' : 'DESC'}`] : [],
    limit: by ? (ranking?.limit ?? reading.wanted ?? (isPlural(reading) ? SOME : 1)) : undefined,
    words: [
      `lists ${fields.map(({ entity, name }) => `${entity.name}.${name}`).join(', ')}`,
      ...conditions.words,
      ...(held ? ['in stock'] : []),
      ...(order ? [`in the order of ${order.field.entity.name}.${order.field.name}`] : []),
    ],
  };
}

function nounsStock({ nouns }: Reading): boolean {
  return nouns.some((noun) => noun.kind === 'concept' && noun.concept === 'stock');
}

/** The table whose rows are listed. */
function thingOf(reading: Reading, entities: readonly Entity[]): Entity | undefined {
  const { asked, nouns, named, ranking } = reading;
  const [entity] = entitiesIn(reading);
  if (entity) return entity;
  if (ranking?.by === 'price') return priceFor(undefined, entities)?.entity;
  const fields = [...(asked ? [asked] : []), ...nouns].flatMap((noun) =>
    noun.kind === 'field' ? noun.fields : [],
  );
  return pickField(fields, reading, entities)?.entity ?? named[0]?.fields[0]?.entity;
}

function columnsOf(
  reading: Reading,
  thing: Entity,
  { isSale, entities }: { isSale: boolean; entities: readonly Entity[] },
): Field[] {
  const { asked, nouns } = reading;
  if (asked?.kind === 'field')
    return [asked.fields.find(({ entity }) => entity === thing) ?? asked.fields[0]].filter(
      (field) => field !== undefined,
    );
  const compared = reading.comparisons.map(({ noun }) => noun);
  const named = nouns.flatMap((noun) => {
    const isHeld = reading.named.some(
      ({ fields }) => noun.kind === 'field' && fields.some((field) => noun.fields.includes(field)),
    );
    if (isHeld) return [];
    const isCompared = compared.some(
      (each) => each?.kind === 'field' && noun.kind === 'field' && each.fields[0] === noun.fields[0],
    );
    const field =
      noun.kind === 'field' && !isCompared ? pickField(noun.fields, reading, entities) : undefined;
    return field ? [field] : [];
  });
  if (named.length > 0) return [...new Set([...labelsOf(thing), ...named])];
  return isSale ? labelsOf(thing) : thing.fields;
}

/** The column that the question sorts by, if any. */
function orderOf(
  reading: Reading,
  thing: Entity,
  entities: readonly Entity[],
): { field: Field } | { problem: string } | undefined {
  const { ranking, nouns, asked } = reading;
  if (!ranking) return undefined;
  if (ranking.by === 'price') {
    const price = priceFor(thing, entities);
    if (!price) return { problem: 'the tables have no price' };
    // A table such as the stores, which sell things at many prices, has no price itself.
    if (price.entity !== thing) return { problem: `the table ${thing.name} has no price` };
    return { field: price };
  }
  if (ranking.by === 'date') {
    const date = dateOf(thing, reading, entities);
    return date ? { field: date } : { problem: `the table ${thing.name} has no date` };
  }
  const fields = nouns.flatMap((noun) => (noun.kind === 'field' && noun !== asked ? noun.fields : []));
  const number = fields.filter(({ role }) => role === 'number' || role === 'date');
  const field = number.find(({ entity }) => entity === thing) ?? number[0];
  return field ? { field } : { problem: 'I cannot tell by which column to sort the rows' };
}

function isPlural({ asked, nouns }: Reading): boolean {
  return (asked ?? nouns.find(({ kind }) => kind === 'entity' || kind === 'period'))?.plural === true;
}
