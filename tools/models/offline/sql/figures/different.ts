/** "How many different products were sold": counts products instead of units. */

import { isProduct } from '../question/nouns.ts';
import type { Reading } from '../question/reading.ts';
import { salesOf } from '../tables/business.ts';
import type { Entity, Field } from '../tables/catalog.ts';
import { keyOf, pathTo } from '../tables/joins.ts';
import { type Measure, ofValues } from './figure-sql.ts';

/** Undefined if the question does not count different things that were sold. */
export function differentThings(
  reading: Reading,
  entities: readonly Entity[],
): Measure | { problem: string } | undefined {
  const { nouns, asked, counts, distinct, sold, ranking, comparisons } = reading;
  const thing = nouns.find((noun) => noun !== asked && noun.kind !== 'period');
  const isStock = nouns.some((noun) => noun.kind === 'concept');
  if (distinct && thing?.kind === 'entity' && (isStock || ranking))
    return { problem: 'counting "different" things is not supported for this question' };
  const sales = sold ? salesOf(entities) : undefined;
  if (!counts || !sales || isStock || ranking || comparisons.length > 0) return undefined;
  if (thing?.kind === 'field') return ofTexts(thing.fields, sales, entities);
  if (thing?.kind !== 'entity') return undefined;
  if (thing.entity === sales || (isProduct(thing, entities) && !distinct)) return undefined;
  return ofThings(thing.entity, sales, entities);
}

/** The count for "how many brands did Isarrad sell". */
function ofTexts(fields: readonly Field[], sales: Entity, entities: readonly Entity[]): Measure | undefined {
  const field = fields.find(({ role, entity }) => role === 'text' && pathTo(sales, entity, entities)?.isSafe);
  return field && { ...ofValues(field), base: sales };
}

function ofThings(thing: Entity, sales: Entity, entities: readonly Entity[]): Measure | undefined {
  const key = keyOf(thing);
  if (!key || !pathTo(sales, thing, entities)?.isSafe) return undefined;
  return {
    base: sales,
    name: `number_of_${thing.name.toLowerCase()}`,
    words: `the number of different ${thing.name} in ${sales.name}`,
    sql: (draft) => {
      const column = draft.column(key);
      return column && `count(DISTINCT ${column})`;
    },
  };
}
