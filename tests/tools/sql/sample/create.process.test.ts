/** The sample database: a complete file or none, the same rows every time, and plausible rows. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSampleDatabase } from '../../../../tools/sql/sample/create.ts';
import { PRODUCTS } from '../../../../tools/sql/sample/products.ts';
import { sampleReviews } from '../../../../tools/sql/sample/reviews.ts';
import { sampleSales } from '../../../../tools/sql/sample/sales.ts';
import { sampleStock } from '../../../../tools/sql/sample/stock.ts';
import { STORES } from '../../../../tools/sql/sample/stores.ts';
import { rowsOf } from '../rows-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-sample-'));
const path = join(folder, 'new', 'sample.duckdb');
let longestPause = 0;

beforeAll(async () => {
  let last = performance.now();
  const timer = setInterval(() => {
    longestPause = Math.max(longestPause, performance.now() - last);
    last = performance.now();
  }, 5);
  expect(await createSampleDatabase(path)).toBe(true);
  clearInterval(timer);
});
afterAll(() => rmSync(folder, { recursive: true }));

const one = async (sql: string) => (await rowsOf(path, sql))[0];

test('only the database is left in its folder', () => {
  expect(readdirSync(join(folder, 'new'))).toEqual(['sample.duckdb']);
});

test('the event loop is not blocked while it is created', () => {
  expect(longestPause).toBeLessThan(100);
});

test('an existing file is not changed', async () => {
  const other = join(folder, 'notes.txt');
  await Bun.write(other, 'mine');
  expect(await createSampleDatabase(other)).toBe(false);
  expect(await Bun.file(other).text()).toBe('mine');
});

test('two concurrent creations create one', async () => {
  const both = join(folder, 'both', 'sample.duckdb');
  const made = await Promise.all([createSampleDatabase(both), createSampleDatabase(both)]);
  expect(made.toSorted()).toEqual([false, true]);
  expect(readdirSync(join(folder, 'both'))).toEqual(['sample.duckdb']);
});

test("a folder that isn't writable is an error, and no file is left", async () => {
  await expect(createSampleDatabase(join(path, 'below-a-file', 'x.duckdb'))).rejects.toThrow();
});

// The scores of the evaluation set depend on the rows. If you change them on purpose, change this too.
test('the rows are the same on every machine', () => {
  const sales = sampleSales();
  const rows = JSON.stringify([STORES, PRODUCTS, sales, sampleStock(), sampleReviews(sales)]);
  expect(Bun.SHA256.hash(rows, 'hex')).toBe(
    'cda55edd7730979dc8d3b6a8e0a4905c4e92ac812a17a0a379bb236ef101e7c9',
  );
});

describe('the rows', () => {
  test('are as many as a person can look through', async () => {
    const counts = await rowsOf(
      path,
      `SELECT (SELECT count(*) FROM stores)::INT, (SELECT count(*) FROM products)::INT, (SELECT count(*) FROM stock)::INT,
        (SELECT count(*) FROM sales)::INT, (SELECT count(*) FROM reviews)::INT`,
    );
    const [stores, products, stock, sales, reviews] = counts[0]?.map(Number) ?? [];
    expect([stores, products]).toEqual([12, 60]);
    expect(stock).toBeWithin(400, 600);
    expect(sales).toBeWithin(5_500, 6_500);
    expect(reviews).toBeWithin(700, 900);
  });

  test('span 2022 to 2024 and grow each year', async () => {
    const years = await rowsOf(
      path,
      'SELECT year(sale_date)::INT, sum(quantity)::INT FROM sales GROUP BY 1 ORDER BY 1',
    );
    expect(years.map(([year]) => year)).toEqual([2022, 2023, 2024]);
    const sold = years.map(([, count]) => Number(count));
    expect(sold).toEqual(sold.toSorted((a, b) => a - b));
  });

  test('peak in spring and summer', async () => {
    const months = await rowsOf(
      path,
      'SELECT month(sale_date)::INT FROM sales GROUP BY 1 ORDER BY sum(quantity) DESC LIMIT 4',
    );
    expect(months.flat().map(Number).toSorted()).toEqual([4, 5, 6, 7]);
  });

  test('are sold for a plausible price', async () => {
    const odd = await one(
      `SELECT count(*)::INT FROM sales JOIN products USING (product_id)
       WHERE unit_price > list_price OR unit_price < 0.7 * list_price OR cost >= list_price OR quantity < 1`,
    );
    expect(odd).toEqual([0]);
  });

  test('review a bike that this shop had sold before', async () => {
    const orphans = await one(
      `SELECT count(*)::INT FROM reviews r WHERE NOT EXISTS (SELECT 1 FROM sales s
       WHERE s.product_id = r.product_id AND s.store_id = r.store_id AND s.sale_date < r.review_date)`,
    );
    expect(orphans).toEqual([0]);
  });
});
