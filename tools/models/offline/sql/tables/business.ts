/** Business terms that aren't column names: units sold, revenue, profit and stock. */
import { type Entity, type Field, isCalled } from './catalog.ts';
import { pathTo } from './joins.ts';

export type Concept = 'revenue' | 'profit' | 'units' | 'stock';

/** A figure of the rows of `base`: the sum of multiplied columns, or the number of rows if there are none. */
export interface Figure {
  base: Entity;
  terms: { factors: Field[]; minus?: Field }[];
  name: string;
}

/** The table of sales, by its name. If there are several, the one with quantities. */
export function salesOf(entities: readonly Entity[]): Entity | undefined {
  const named = entities.filter((entity) =>
    isCalled(entity, 'sale', 'sold', 'order', 'purchase', 'transaction', 'invoice'),
  );
  return named.find((entity) => quantityOf(entity)) ?? named[0];
}

export function stockOf(entities: readonly Entity[]): Entity | undefined {
  return entities.find((entity) => isCalled(entity, 'stock', 'inventory'));
}

/** The table of the products. */
export function productsOf(entities: readonly Entity[]): Entity | undefined {
  return entities.find(
    (entity) => isCalled(entity, 'product', 'bike', 'item', 'article') && !quantityOf(entity),
  );
}

export function quantityOf(entity: Entity): Field | undefined {
  return entity.fields.find(
    (field) =>
      field.role === 'number' && isCalled(field, 'quantity', 'qty', 'units', 'sold', 'amount', 'count'),
  );
}

/**
 * The price that a buyer pays. A column `cost` is only used if there is no column for the price, because it may be the cost for
 * the seller.
 */
export function priceOf(entity: Entity): Field | undefined {
  const numbers = entity.fields.filter(({ role }) => role === 'number');
  return (
    numbers.find((field) => isCalled(field, 'price')) ??
    numbers.find((field) => isCalled(field, 'cost', 'msrp', 'amount'))
  );
}

/** Undefined if the tables have no columns for such a figure. */
export function figureOf(concept: Concept, entities: readonly Entity[]): Figure | undefined {
  const base = concept === 'stock' ? stockOf(entities) : salesOf(entities);
  if (!base) return undefined;
  const quantity = quantityOf(base);
  if (concept === 'stock' || concept === 'units') {
    const name = concept === 'stock' ? 'in_stock' : 'units_sold';
    return { base, terms: quantity ? [{ factors: [quantity] }] : [], name };
  }
  const booked = base.fields.find(
    (field) => field.role === 'number' && isCalled(field, 'revenue', 'total', 'turnover'),
  );
  if (booked && concept === 'revenue') return { base, terms: [{ factors: [booked] }], name: 'revenue' };
  const reachable = [
    base,
    ...entities.filter((entity) => entity !== base && pathTo(base, entity, entities)?.isSafe),
  ];
  const price = reachable.map(priceOf).find((field) => field !== undefined);
  if (!price) return undefined;
  const factors = quantity ? [quantity, price] : [price];
  if (concept === 'revenue') return { base, terms: [{ factors }], name: 'revenue' };
  const cost = reachable
    .flatMap(({ fields }) => fields)
    .find((field) => field !== price && isCalled(field, 'cost'));
  return cost && { base, terms: [{ factors, minus: cost }], name: 'profit' };
}
