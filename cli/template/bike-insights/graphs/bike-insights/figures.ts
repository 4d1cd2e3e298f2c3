/** The figures of a document: totals, products, stores and months, computed exactly from all sales. */
import type { BikeDocument, Sale } from './document.ts';
import { monthOf, type Trend, trendOf } from './months.ts';
import { PRICE_RULE, pricesOf } from './prices.ts';
import { stockNumber } from './stock.ts';

export interface Figures {
  /** `stock`: the units of all entries with a quantity; null if the sum isn't a finite number. */
  totals: Tally & { stores: number; stock: number | null; stock_entries: number; undated_sales: number };
  /** The revenue, with the number of units that it covers and the rule for prices. */
  revenue: { amount: number | null; priced_units: number; unpriced_units: number; prices: string };
  /** Most units first; at most ten each, no product in both. */
  best_products: ProductFigures[];
  worst_products: ProductFigures[];
  /** The number of all products. */
  products: number;
  /** Most units first, at most fifty. */
  stores: (Tally & { store: string; location: string })[];
  months: (Pick<Tally, 'units' | 'revenue' | 'average_rating'> & { month: string })[];
  trend: Trend;
}

/** Amounts are in the currency of the stock's prices; null if no unit has a price, or if the sum isn't a finite number. */
export interface Tally {
  sales: number;
  units: number;
  revenue: number | null;
  reviews: number;
  average_rating: number | null;
}

export type ProductFigures = Tally & { product_code: string };

const MAX_LISTED = 10;
const MAX_STORES = 50;
const MAX_MONTHS = 120;
const LONGEST_NAME = 80;

export function figuresOf({ stores }: BikeDocument): Figures {
  const priceOf = pricesOf(stores);
  const total = counter();
  const products = new Map<string, Counter>();
  const months = new Map<string, Counter>();
  const places: Figures['stores'] = [];
  let [undated, stock, entries] = [0, 0, 0];
  for (const [index, { name, location = '', bike_sales = [], bike_stock = [] }] of stores.entries()) {
    for (const entry of bike_stock) stock += stockNumber(entry, 'quantity') ?? 0;
    entries += bike_stock.length;
    // Stores without sales are only needed until the list is full.
    if (bike_sales.length === 0 && index >= MAX_STORES) continue;
    const own = counter();
    for (const sale of bike_sales) {
      const price = sale.product_code === undefined ? undefined : priceOf(index, sale.product_code);
      const month = monthOf(sale);
      if (month === undefined) undated++;
      count(total, sale, price);
      count(own, sale, price);
      if (sale.product_code !== undefined) count(of(products, sale.product_code), sale, price);
      if (month !== undefined) count(of(months, month), sale, price);
    }
    places.push({ store: nameOf(name, index), location: cut(location), ...tally(own) });
  }
  const ranked = Array.from(products, ([code, own]) => ({ product_code: cut(code), ...tally(own) })).sort(
    (a, b) => b.units - a.units || (a.product_code < b.product_code ? -1 : 1),
  );
  const byMonth = Array.from(months, ([month, own]) => ({ month, ...tally(own) })).sort((a, b) =>
    a.month < b.month ? -1 : 1,
  );
  const best = ranked.slice(0, Math.min(MAX_LISTED, Math.ceil(ranked.length / 2)));
  const { priced, units } = total;
  return {
    totals: {
      stores: stores.length,
      ...tally(total),
      stock: cents(stock),
      stock_entries: entries,
      undated_sales: undated,
    },
    revenue: {
      amount: tally(total).revenue,
      priced_units: priced,
      unpriced_units: units - priced,
      prices: PRICE_RULE,
    },
    best_products: best,
    worst_products: ranked.slice(best.length).slice(-MAX_LISTED).reverse(),
    products: ranked.length,
    stores: places.sort((a, b) => b.units - a.units).slice(0, MAX_STORES),
    months: byMonth
      .slice(-MAX_MONTHS)
      .map(({ month, units, revenue, average_rating }) => ({ month, units, revenue, average_rating })),
    trend: trendOf(byMonth.map(({ units }) => units)),
  };
}

/** Sums over sales. `priced`: the number of units with a price. */
interface Counter {
  sales: number;
  units: number;
  priced: number;
  /** Undefined until a unit with a price is sold or returned, because the sum may be 0. */
  amount: number | undefined;
  reviews: number;
  rated: number;
  ratings: number;
}

function counter(): Counter {
  return { sales: 0, units: 0, priced: 0, amount: undefined, reviews: 0, rated: 0, ratings: 0 };
}

function count(
  counter: Counter,
  { quantity_sold = 0, customer_review }: Sale,
  price: number | undefined,
): void {
  counter.sales++;
  counter.units += quantity_sold;
  if (price !== undefined && quantity_sold !== 0) {
    counter.priced += quantity_sold;
    counter.amount = (counter.amount ?? 0) + quantity_sold * price;
  }
  if (!customer_review) return;
  counter.reviews++;
  if (customer_review.rating === undefined) return;
  counter.rated++;
  counter.ratings += customer_review.rating;
}

function tally({ sales, units, amount, reviews, rated, ratings }: Counter): Tally {
  return {
    sales,
    units,
    revenue: amount === undefined ? null : cents(amount),
    reviews,
    average_rating: rated === 0 ? null : cents(ratings / rated),
  };
}

function of(counters: Map<string, Counter>, key: string): Counter {
  const found = counters.get(key) ?? counter();
  counters.set(key, found);
  return found;
}

/** The sum of many very large numbers may overflow. */
function cents(value: number): number | null {
  const rounded = Math.round(value * 100) / 100;
  return Number.isFinite(rounded) ? rounded : null;
}

/** A store without a name is named by its position in the document, from 1. */
export function nameOf(name: string | undefined, index: number): string {
  return cut(name?.trim() || `store ${index + 1}`);
}

function cut(text: string): string {
  const line = text
    .slice(0, LONGEST_NAME)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ');
  return text.length <= LONGEST_NAME ? line : `${line}…`;
}
