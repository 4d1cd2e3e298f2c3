/** Finds the price of a product from the stock entry that matches its code. */
import type { Store } from './document.ts';
import { stockNames, stockNumber } from './stock.ts';

/** How the price of a sale is found, as an explanation for readers of the figures. */
export const PRICE_RULE =
  "the stock's price of the same product code, else of the same model or brand and model (letters and digits compared, whatever the case); the store's own stock first, then that of all stores; none where prices differ";

/** The price of a product in a store (by its index); undefined if no stock entry has a price, or if entries have different prices. */
export type PriceOf = (store: number, code: string) => number | undefined;

export function pricesOf(stores: readonly Store[]): PriceOf {
  const own = new Map<number, PriceList>();
  const all: PriceList = new Map();
  for (const [index, { bike_stock = [] }] of stores.entries()) {
    for (const entry of bike_stock) {
      const price = stockNumber(entry, 'price');
      if (price === undefined) continue;
      const list = own.get(index) ?? new Map();
      own.set(index, list);
      for (const key of new Set(stockNames(entry).map(keyOf))) {
        note(list, key, price);
        note(all, key, price);
      }
    }
  }
  return (store, code) => {
    const key = keyOf(code);
    const price = own.get(store)?.get(key) ?? all.get(key);
    return Number.isNaN(price) ? undefined : price;
  };
}

/** Prices by every name of a bike in stock; NaN if entries have different prices. */
type PriceList = Map<string, number>;

function note(list: PriceList, key: string, price: number): void {
  if (key === '') return;
  const before = list.get(key);
  list.set(key, before === undefined || before === price ? price : Number.NaN);
}

function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
