/** Writes the figures of a document as sentences, for models and for the thread's memory. */
import type { BikeDocument } from './document.ts';
import type { Figures, ProductFigures, Tally } from './figures.ts';
import { count, listed, number, shown } from './words.ts';

const MAX_STORES = 5;
const MAX_MONTHS = 12;

export function factsOf({ identifier, revision_id }: BikeDocument, figures: Figures): string[] {
  const { totals, best_products, worst_products, products, stores, months, trend } = figures;
  const named = [
    identifier && `identifier ${shown(identifier)}`,
    revision_id && `revision ${shown(revision_id)}`,
  ];
  const names = named.filter((name) => name !== undefined && name !== '').join(', ');
  const [best, worst] = [best_products[0], worst_products[0]];
  const ranking = stores.toSorted((a, b) => b.units - a.units).slice(0, MAX_STORES);
  return [
    `The document${names === '' ? '' : ` (${names})`} has ${count(totals.stores, 'store')}, ${count(totals.sales, 'sale')} of ${count(totals.units, 'unit')}, ${count(totals.reviews, 'review')} and ${totals.stock === null ? 'stock of no known size' : `${count(totals.stock, 'unit')} in stock`}.`,
    ...(totals.units === 0 ? [] : [revenueFact(figures)]),
    ...(best ? [`Of ${count(products, 'product')} ${productFact(best)} sold most.`] : []),
    ...(worst ? [`${productFact(worst)} sold least.`] : []),
    ...(totals.average_rating === null ? [] : [`The average rating is ${number(totals.average_rating)}.`]),
    ...(ranking.length === 0 ? [] : [`Stores by units sold: ${listed(ranking.map(storeFact))}.`]),
    ...(months.length === 0
      ? []
      : [
          `Units by month: ${months
            .slice(-MAX_MONTHS)
            .map(({ month, units }) => `${month} ${number(units)}`)
            .join(', ')}; the trend is ${trend}.`,
        ]),
  ];
}

function revenueFact({ revenue: { amount, priced_units, unpriced_units } }: Figures): string {
  if (amount === null)
    return `Revenue is not known: ${priced_units === 0 ? 'no sale has a price in the stock' : 'its sum is no number'}.`;
  const rest = unpriced_units === 0 ? '' : `; ${count(unpriced_units, 'unit')} have no price in the stock`;
  return `Revenue is ${number(amount)} for ${count(priced_units, 'unit')}${rest}.`;
}

function productFact({ product_code, ...tally }: ProductFigures): string {
  return `${shown(product_code)} (${tallyText(tally)})`;
}

function storeFact({ store, location, ...tally }: Figures['stores'][number]): string {
  return `${shown(store)}${location === '' ? '' : ` in ${shown(location)}`} (${tallyText(tally)})`;
}

function tallyText({ units, revenue, average_rating }: Tally): string {
  return [
    count(units, 'unit'),
    ...(revenue === null ? [] : [`revenue ${number(revenue)}`]),
    ...(average_rating === null ? [] : [`average rating ${number(average_rating)}`]),
  ].join(', ');
}
