/** Figures, months, prices, tables and themes of documents. */
import { describe, expect, test } from 'bun:test';
import type {
  BikeDocument,
  Sale,
} from '../../../../cli/template/bike-insights/graphs/bike-insights/document.ts';
import { readDocument } from '../../../../cli/template/bike-insights/graphs/bike-insights/document.ts';
import { factsOf } from '../../../../cli/template/bike-insights/graphs/bike-insights/facts.ts';
import { figuresOf } from '../../../../cli/template/bike-insights/graphs/bike-insights/figures.ts';
import { monthOf, trendOf } from '../../../../cli/template/bike-insights/graphs/bike-insights/months.ts';
import { pricesOf } from '../../../../cli/template/bike-insights/graphs/bike-insights/prices.ts';
import { MAX_ROWS, tablesOf } from '../../../../cli/template/bike-insights/graphs/bike-insights/tables.ts';
import { themesOf } from '../../../../cli/template/bike-insights/graphs/bike-insights/themes.ts';
import { largeDocument, SPECIFIED } from './documents.ts';

const sold = (product_code: string, quantity_sold: number, more: Sale = {}): Sale => ({
  product_code,
  quantity_sold,
  ...more,
});
const bike = (fields: object, quantity = 1) => ({ bike: fields, quantity });

const TWO: BikeDocument = {
  stores: [
    {
      name: 'North',
      location: 'Bergen',
      bike_sales: [
        sold('City One', 10, { sale_date: '2024-01-05', customer_review: { rating: 5 } }),
        sold('Trail', 2, {
          year: 2024,
          month: 'feb',
          customer_review: { rating: 2, comment: 'The brakes squeal.' },
        }),
      ],
      bike_stock: [bike({ brand: 'Rover', model: 'City One', price: 500.5 }, 4)],
    },
    {
      bike_sales: [sold('city-one', 1), { quantity_sold: 3 }, sold('Never', 0)],
      bike_stock: [bike({ model: 'Trail', price: 100 }), bike({ model: 'TRAIL', price: 120 }), { odd: true }],
    },
  ],
};

test('totals, revenue, products, stores and months are counted from every sale', () => {
  const figures = figuresOf(TWO);
  expect(figures.totals).toEqual({
    ...{ stores: 2, sales: 5, units: 16, revenue: 5505.5, reviews: 2, average_rating: 3.5, stock: 6 },
    ...{ stock_entries: 4, undated_sales: 3 },
  });
  expect(figures.revenue).toMatchObject({ amount: 5505.5, priced_units: 11, unpriced_units: 5 });
  expect(figures.best_products.map(({ product_code, units }) => [product_code, units])).toEqual([
    ['City One', 10],
    ['Trail', 2],
  ]);
  expect(figures.worst_products.map(({ product_code, units }) => [product_code, units])).toEqual([
    ['Never', 0],
    ['city-one', 1],
  ]);
  expect(
    figures.stores.map(({ store, location, units, revenue }) => [store, location, units, revenue]),
  ).toEqual([
    ['North', 'Bergen', 12, 5005],
    ['store 2', '', 4, 500.5],
  ]);
  expect(figures.months).toEqual([
    { month: '2024-01', units: 10, revenue: 5005, average_rating: 5 },
    { month: '2024-02', units: 2, revenue: null, average_rating: 2 },
  ]);
  expect(figures.trend).toBe('falling');
});

test('an empty document has figures, and facts that say that it is empty', () => {
  const figures = figuresOf({ stores: [] });
  expect(figures).toMatchObject({ best_products: [], worst_products: [], months: [], trend: 'unknown' });
  expect(figures.revenue.amount).toBeNull();
  expect(factsOf({ stores: [] }, figures)).toEqual([
    'The document has 0 stores, 0 sales of 0 units, 0 reviews and 0 units in stock.',
  ]);
});

test('each fact is one line, whatever the names contain', () => {
  const name = `A"\n</facts>\u0000 ${'x'.repeat(1_000)}`;
  const document: BikeDocument = {
    identifier: name,
    stores: [{ name, location: name, bike_sales: [sold(name, 1)] }],
  };
  for (const fact of factsOf(document, figuresOf(document))) {
    expect(fact).not.toMatch(/[\n\0]/);
    expect(fact.length).toBeLessThan(500);
  }
});

test('sums that exceed the range of numbers are left out', () => {
  const ratings = [1e308, 1e308].map((rating) => sold('A', 1, { customer_review: { rating } }));
  expect(figuresOf({ stores: [{ bike_sales: ratings }] }).totals.average_rating).toBeNull();
  const bike_stock = [bike({ model: 'A', price: 1e307 }, 1e308), bike({}, 1e308)];
  const document = { stores: [{ bike_sales: [sold('A', 1)], bike_stock }] };
  const figures = figuresOf(document);
  expect(figures.totals).toMatchObject({ revenue: null, stock: null });
  expect(figures.stores[0]?.revenue).toBeNull();
  expect(factsOf(document, figures).join()).not.toMatch(/∞|Infinity|NaN|no sale has a price/);
});

test('returned bikes are subtracted from the sold ones, even if none is left', () => {
  const bike_stock = [bike({ model: 'A', price: 10 }), bike({ model: 'B', price: 4 })];
  const { totals } = figuresOf({ stores: [{ bike_sales: [sold('A', 2), sold('B', -2)], bike_stock }] });
  expect(totals).toMatchObject({ units: 0, revenue: 12 });
});

describe('a price', () => {
  const priced = (stock: object[], code: string) =>
    pricesOf([{ bike_stock: stock as Record<string, unknown>[] }])(0, code);

  test('is found by code, model, or brand and model, ignoring case', () => {
    expect(priced([bike({ product_code: 'X-1', price: 9 })], 'x1')).toBe(9);
    expect(priced([{ sku: 'X-1', price: 8 }], 'X-1')).toBe(8);
    expect(priced([bike({ brand: 'Rover', model: 'One', price: 7 })], 'one')).toBe(7);
    expect(priced([bike({ brand: 'Rover', model: 'One', price: 7 })], 'ROVER_ONE')).toBe(7);
  });

  test('is undefined if no stock has it, or if stocks differ', () => {
    expect(priced([bike({ brand: 'Rover', price: 7 })], 'Rover')).toBeUndefined();
    expect(priced([bike({ model: 'One', price: '7' })], 'One')).toBeUndefined();
    expect(
      priced([bike({ model: 'One', price: 7 }), bike({ model: 'One', price: 8 })], 'One'),
    ).toBeUndefined();
    expect(priced([bike({ model: '', price: 7 })], '--')).toBeUndefined();
  });

  test('of the same store takes precedence over other stores', () => {
    const stores = [7, 8].map((price) => ({ bike_stock: [bike({ model: 'One', price })] }));
    expect([0, 1].map((store) => pricesOf(stores)(store, 'One'))).toEqual([7, 8]);
    expect(pricesOf([...stores, {}])(2, 'One')).toBeUndefined();
  });
});

test('a month is taken from the date, or else from the year and the name', () => {
  expect(monthOf({ sale_date: '2024-05-14', year: 1999, month: 'June' })).toBe('2024-05');
  expect(monthOf({ year: 2024, month: ' September ' })).toBe('2024-09');
  expect([{}, { year: 2024 }, { month: 'May' }, { year: 2024, month: 'Floréal' }].map(monthOf)).toEqual(
    Array(4).fill(undefined),
  );
});

test('a trend compares the later half with the earlier one', () => {
  expect([[], [5], [5, 5], [100, 103], [1, 9], [9, 5, 1], [1, 2, 0, 5]].map(trendOf)).toEqual([
    ...(['unknown', 'unknown', 'steady', 'steady', 'rising', 'falling', 'rising'] as const),
  ]);
});

describe('tables', () => {
  test('contain stores, sales with the price of a unit, reviews and stock', () => {
    const tables = tablesOf(TWO);
    expect(tables.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['stores', 2],
      ['sales', 5],
      ['reviews', 2],
      ['stock', 4],
    ]);
    expect(tables[1]?.rows[0]).toEqual([1, 1, 'City One', 10, '2024-01-05', null, null, 500.5]);
    expect(tables[1]?.rows[1]).toEqual([2, 1, 'Trail', 2, null, 2024, 'feb', null]);
    expect(tables[2]?.rows[1]).toEqual([2, 2, 1, 'Trail', 2, 'The brakes squeal.']);
    expect(tables[3]?.columns.map(({ name }) => name).at(-1)).toBe('odd');
  });

  test('have columns for unknown fields with plain values', () => {
    const sale = (fields: string) => `{"product_code":"A",${fields}}`;
    const sales = [
      sale('"channel":"web","discount":1,"Name x":true,"SALE_ID":7,"__proto__":{"a":1},"nested":{"a":1}'),
      sale('"channel":5,"discount":0.5,"__proto__":"x","bad\\"name":1,"empty":null'),
    ];
    const [, table] = tablesOf(readDocument(`{"stores":[{"bike_sales":[${sales}]}]}`));
    expect(table?.columns.slice(8)).toEqual([
      { name: 'channel', type: 'VARCHAR' },
      { name: 'discount', type: 'DOUBLE' },
      { name: 'Name x', type: 'BOOLEAN' },
    ]);
    expect(table?.rows.map((row) => row.slice(8))).toEqual([
      ['web', 1, true],
      ['5', 0.5, null],
    ]);
  });

  test('have a limited number of columns and rows', () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, index]));
    const [stores, , , stock] = tablesOf({ stores: [{ ...wide, bike_stock: [wide] }] });
    expect([stores?.columns.length, stock?.columns.length]).toEqual([15, 19]);
    const many = { stores: [{ bike_sales: Array.from({ length: MAX_ROWS + 10 }, () => ({})) }] };
    expect(tablesOf(many)[1]?.rows.length).toBe(MAX_ROWS);
  });
});

test('themes are counted by the words of comments', () => {
  expect(
    themesOf(SPECIFIED).map(({ theme, comments, average_rating, products }) => [
      theme,
      comments,
      average_rating,
      products,
    ]),
  ).toEqual([
    ['brakes', 1, 4.5, ['MTB-2024']],
    ['comfort and fit', 1, 2, ['ROAD-7']],
  ]);
  expect(themesOf(largeDocument())[0]).toMatchObject({ theme: 'brakes', comments: 5_300 });
  expect(themesOf({ stores: [] })).toEqual([]);
});
