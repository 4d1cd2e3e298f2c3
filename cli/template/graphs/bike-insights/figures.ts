/** The figures of a document: totals, products, stores and months, counted exactly from every sale. */
import type { BikeDocument, Sale } from './document.ts';
import { monthOf, type Trend, trendOf } from './months.ts';
import { PRICE_RULE, pricesOf } from './prices.ts';
import { stockOf } from './stock.ts';

export interface Figures {
  totals: Tally & { stores: number; stock: number; undated_sales: number };
  /** Without it no amount can be right: whose it is, and of how many units. */
  revenue: { amount: number | null; priced_units: number; unpriced_units: number; prices: string };
  /** Most units first; at most ten each, no product in both. */
  best_products: ProductFigures[];
  worst_products: ProductFigures[];
  /** As many as there are products. */
  products: number;
  stores: (Tally & { store: string; location: string })[];
  months: (Pick<Tally, 'units' | 'revenue' | 'average_rating'> & { month: string })[];
  trend: Trend;
}

/** Amounts are in the currency of the stock's prices; null where no unit has a price. */
export interface Tally {
  sales: number;
  units: number;
  revenue: number | null;
  reviews: number;
  average_rating: number | null;
}

export type ProductFigures = Tally & { product_code: string };

const MOST_LISTED = 10;
const MOST_STORES = 50;
const MOST_MONTHS = 120;
const LONGEST_NAME = 80;

export function figuresOf({ stores }: BikeDocument): Figures {
  const priceOf = pricesOf(stores);
  const total = counter();
  const products = new Map<string, Counter>();
  const months = new Map<string, Counter>();
  let undated = 0;
  const perStore = stores.map(({ name, location, bike_sales = [] }, index) => {
    const own = counter();
    for (const sale of bike_sales) {
      const price = sale.product_code === undefined ? undefined : priceOf(index, sale.product_code);
      const month = monthOf(sale);
      if (month === undefined) undated++;
      const counters = [total, own, of(products, sale.product_code), of(months, month)];
      for (const each of counters) each?.add(sale, price);
    }
    return { store: nameOf(name, index), location: cut(location ?? ''), ...own.tally() };
  });
  const ranked = Array.from(products, ([code, { tally }]) => ({ product_code: cut(code), ...tally() })).sort(
    (a, b) => b.units - a.units || (a.product_code < b.product_code ? -1 : 1),
  );
  const byMonth = Array.from(months, ([month, { tally }]) => ({ month, ...tally() })).sort((a, b) =>
    a.month < b.month ? -1 : 1,
  );
  const best = ranked.slice(0, Math.min(MOST_LISTED, Math.ceil(ranked.length / 2)));
  return {
    totals: {
      stores: stores.length,
      ...total.tally(),
      stock: stores.reduce((sum, { bike_stock = [] }) => sum + quantity(bike_stock), 0),
      undated_sales: undated,
    },
    revenue: { ...total.revenue(), prices: PRICE_RULE },
    best_products: best,
    worst_products: ranked.slice(best.length).slice(-MOST_LISTED).reverse(),
    products: ranked.length,
    stores: perStore.slice(0, MOST_STORES),
    months: byMonth
      .slice(-MOST_MONTHS)
      .map(({ month, units, revenue, average_rating }) => ({ month, units, revenue, average_rating })),
    trend: trendOf(byMonth.map(({ units }) => units)),
  };
}

interface Counter {
  add(sale: Sale, price: number | undefined): void;
  tally(): Tally;
  revenue(): Pick<Figures['revenue'], 'amount' | 'priced_units' | 'unpriced_units'>;
}

function counter(): Counter {
  let [sales, units, amount, priced, reviews, rated, ratings] = [0, 0, 0, 0, 0, 0, 0];
  return {
    add({ quantity_sold = 0, customer_review }, price) {
      sales++;
      units += quantity_sold;
      if (price !== undefined) {
        priced += quantity_sold;
        amount += quantity_sold * price;
      }
      if (customer_review) reviews++;
      if (customer_review?.rating === undefined) return;
      rated++;
      ratings += customer_review.rating;
    },
    tally: () => ({
      sales,
      units,
      revenue: priced === 0 ? null : cents(amount),
      reviews,
      average_rating: rated === 0 ? null : cents(ratings / rated),
    }),
    revenue: () => ({
      amount: priced === 0 ? null : cents(amount),
      priced_units: priced,
      unpriced_units: units - priced,
    }),
  };
}

function of(counters: Map<string, Counter>, key: string | undefined): Counter | undefined {
  if (key === undefined) return undefined;
  const found = counters.get(key) ?? counter();
  counters.set(key, found);
  return found;
}

function quantity(stock: Record<string, unknown>[]): number {
  return stock.reduce((sum, entry) => sum + (stockOf(entry).quantity ?? 0), 0);
}

/** Sums of many very large figures may pass what numbers hold. */
function cents(value: number): number | null {
  return Number.isFinite(value) ? Math.round(value * 100) / 100 : null;
}

/** A store without a name is called by its place in the document, from 1. */
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
