/** Three years of sales: more in spring and summer, more each year, and with discounts in winter and for last year's bikes. */
import { CATEGORIES, type Category, PRODUCTS, type Product } from './products.ts';
import { type Random, seededRandom } from './random.ts';
import { STORES, type Store } from './stores.ts';

export interface Sale {
  sale_id: number;
  /** ISO date. */
  sale_date: string;
  store_id: number;
  product_id: number;
  quantity: number;
  /** The price for which one bike was sold, in euros. */
  unit_price: number;
}

const FIRST_YEAR = 2022;
const LAST_YEAR = 2024;
/** Generates about 6,000 sales. */
const SALES_A_DAY = 5;
const GROWTH_A_YEAR = 1.16;
/** January to December. */
const SEASON = [0.45, 0.55, 0.95, 1.4, 1.65, 1.6, 1.4, 1.2, 1, 0.75, 0.5, 0.55];
const DISCOUNTS = [0.05, 0.1, 0.15];

const DEMAND: Record<Category, number> = {
  road: 0.9,
  mountain: 1.1,
  city: 1.7,
  'e-bike': 1.3,
  kids: 1.2,
  gravel: 0.8,
};

export function sampleSales(): Sale[] {
  const random = seededRandom(20220101);
  const sales: Sale[] = [];
  const day = new Date(Date.UTC(FIRST_YEAR, 0, 1));
  for (; day.getUTCFullYear() <= LAST_YEAR; day.setUTCDate(day.getUTCDate() + 1)) {
    if (day.getUTCDay() === 0) continue; // Shops are closed on Sundays.
    for (let remaining = salesOn(day, random); remaining > 0; remaining--) {
      sales.push({ sale_id: sales.length + 1, ...sale(day, random) });
    }
  }
  return sales;
}

function salesOn(day: Date, random: Random): number {
  const growth = GROWTH_A_YEAR ** (day.getUTCFullYear() - FIRST_YEAR);
  const saturday = day.getUTCDay() === 6 ? 1.7 : 1;
  const expected = SALES_A_DAY * (SEASON[day.getUTCMonth()] ?? 1) * growth * saturday;
  return Math.round(expected * random.between(0.6, 1.4));
}

function sale(day: Date, random: Random): Omit<Sale, 'sale_id'> {
  const year = day.getUTCFullYear();
  const store = random.weighted(STORES, ({ size }) => size);
  const category = random.weighted(CATEGORIES, (each) => demand(each, day, store));
  // Bikes of a model year are sold from the autumn before it, and for two years after it.
  const season = year + (day.getUTCMonth() >= 9 ? 1 : 0);
  const offered = PRODUCTS.filter((product) => product.category === category && product.model_year <= season);
  const product = random.weighted(offered, ({ appeal, model_year }) => appeal / (1 + (season - model_year)));
  return {
    sale_date: day.toISOString().slice(0, 10),
    store_id: store.store_id,
    product_id: product.product_id,
    quantity: quantityOf(category, random),
    unit_price: priceOf(product, day, random),
  };
}

/**
 * E-bikes sell better every year, city bikes in the Netherlands and Denmark, mountain bikes in the Alps, and kids' bikes in
 * December.
 */
function demand(category: Category, day: Date, { country }: Store): number {
  const years = day.getUTCFullYear() - FIRST_YEAR;
  const flat = country === 'Netherlands' || country === 'Denmark';
  const alpine = country === 'Switzerland' || country === 'Austria';
  return (
    DEMAND[category] *
    (category === 'e-bike' ? 1.3 ** years : 1) *
    (category === 'gravel' ? 1.2 ** years : 1) *
    (category === 'city' && flat ? 1.8 : 1) *
    (category === 'mountain' ? (alpine ? 2 : flat ? 0.4 : 1) : 1) *
    (category === 'kids' && day.getUTCMonth() === 11 ? 2.5 : 1)
  );
}

/** The number of bikes in a sale: mostly one, two for families, and occasionally a small fleet for a company. */
function quantityOf(category: Category, random: Random): number {
  if (random.chance(0.012) && category !== 'kids') return random.whole(4, 10);
  return random.chance(category === 'kids' || category === 'city' ? 0.2 : 0.09) ? 2 : 1;
}

function priceOf({ list_price, model_year }: Product, day: Date, random: Random): number {
  const winter = day.getUTCMonth() >= 10 || day.getUTCMonth() <= 1;
  const old = model_year < day.getUTCFullYear();
  const reduced = random.chance(winter ? 0.45 : 0.15) ? random.pick(DISCOUNTS) : 0;
  const discount = reduced + (old && random.chance(0.4) ? 0.1 : 0);
  return Math.round(list_price * (1 - discount) * 100) / 100;
}
