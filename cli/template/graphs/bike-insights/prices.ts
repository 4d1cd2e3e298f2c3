/** What a product costs: the price of the stock that its code names. */
import type { Store } from './document.ts';
import { type Stock, stockOf } from './stock.ts';

/** How a sale's price was found, for whoever reads the figures. */
export const PRICE_RULE =
  "the stock's price of the same product code, else of the same model or brand and model (letters and digits compared, whatever the case); the store's own stock first, then that of all stores; none where prices differ";

/** The price of a product in a store (by its index); undefined where no stock says it, or stocks say different ones. */
export type PriceOf = (store: number, code: string) => number | undefined;

export function pricesOf(stores: readonly Store[]): PriceOf {
  const own = stores.map(({ bike_stock = [] }) => priceList(bike_stock.map(stockOf)));
  const all = priceList(stores.flatMap(({ bike_stock = [] }) => bike_stock.map(stockOf)));
  return (store, code) => {
    const key = keyOf(code);
    const prices = own[store]?.get(key) ?? all.get(key);
    return prices?.size === 1 ? prices.values().next().value : undefined;
  };
}

/** Prices by every name that a stock's bike goes by. */
function priceList(stock: readonly Stock[]): Map<string, Set<number>> {
  const list = new Map<string, Set<number>>();
  for (const { price, names } of stock) {
    if (price === undefined) continue;
    for (const key of new Set(names.map(keyOf))) {
      if (key !== '') list.set(key, (list.get(key) ?? new Set()).add(price));
    }
  }
  return list;
}

function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
