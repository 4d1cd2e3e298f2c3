/** Figures that only occur in a comparison: the number of rows, or a column, of another table. */

import type { Reading } from '../question/reading.ts';
import type { Entity, Field } from '../tables/catalog.ts';
import { pathTo } from '../tables/joins.ts';

/** "Bikes with more than 20 reviews": counts the rows of another table. */
export function comparedRows({ comparisons, asked, nouns }: Reading): Entity | undefined {
  const thing = asked ?? nouns[0];
  const compared = comparisons.map(({ noun }) => noun).find((noun) => noun?.kind === 'entity');
  if (compared?.kind !== 'entity' || !thing) return undefined;
  return thing.kind === 'entity' && thing.entity === compared.entity ? undefined : compared.entity;
}

/** "Products with an average rating above 4": a column of another table, which has many rows for one product. */
export function comparedFigure(
  { comparisons, asked, nouns, aggregates }: Reading,
  entities: readonly Entity[],
): Field | undefined {
  const thing = asked ?? nouns[0];
  const compared = comparisons.flatMap(({ noun }) => (noun?.kind === 'field' ? noun.fields : []));
  if (thing?.kind === 'field' && aggregates.length > 0)
    return compared.find(
      ({ role, entity }) => role === 'number' && thing.fields.some((field) => field.entity === entity),
    );
  if (thing?.kind !== 'entity') return undefined;
  return compared.find(
    ({ role, entity }) =>
      role === 'number' &&
      entity !== thing.entity &&
      pathTo(entity, thing.entity, entities)?.isSafe &&
      (aggregates.length > 0 || compared.every((other) => other.entity !== thing.entity)),
  );
}
