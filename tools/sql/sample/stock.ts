/** The stock of each shop. Large shops have most of the range. Some bikes are sold out. */
import { PRODUCTS } from './products.ts';
import { seededRandom } from './random.ts';
import { STORES } from './stores.ts';

export interface Stock {
  store_id: number;
  product_id: number;
  quantity: number;
}

export function sampleStock(): Stock[] {
  const random = seededRandom(20241231);
  return STORES.flatMap(({ store_id, size }) =>
    PRODUCTS.filter(() => random.chance(0.35 + size * 0.3)).map(({ product_id, appeal, model_year }) => ({
      store_id,
      product_id,
      quantity: random.chance(0.08)
        ? 0
        : random.whole(1, Math.ceil(3 + appeal * size * (model_year >= 2023 ? 4 : 2))),
    })),
  );
}
