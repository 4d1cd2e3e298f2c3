/** Questions that the rules reject instead of guessing, and kinds of questions that they once answered wrongly. */
import { describe, expect, test } from 'bun:test';
import type { Table } from '../../../../../tools/sql/engine.ts';
import { ask, SHOP, table } from './ask.ts';

const BIKES: Table[] = [
  ...SHOP.slice(0, 2),
  table('stock', 5, { 'store_id INTEGER': [1], 'product_id INTEGER': [1], 'quantity INTEGER': [5] }),
  table('reviews', 5, { 'review_id INTEGER': [1], 'store_id INTEGER': [1], 'product_id INTEGER': [1] }),
  table('stores', 3, {
    'store_id INTEGER': [1],
    'name VARCHAR': ['Bike Hub'],
    'city VARCHAR': ['Berlin', 'Munich'],
    'country VARCHAR': ['Germany'],
    'opened DATE': ['2014-03-22'],
  }),
];

const sql = async (...questions: string[]) => (await ask(BIKES, ...questions)).sql.replaceAll('\n', ' ');

describe('the rules reject', () => {
  const CASES = [
    ['Which stores sold nothing in January 2024?', '"nothing"'],
    ['Show me stores where nothing was sold', '"nothing"'],
    ['How many sales on Mondays?', '"Mondays"'],
    ['How many bikes were sold in summer?', '"summer"'],
    ['How many bikes were sold at weekends?', '"weekends"'],
    ['How many bikes were sold on weekdays?', '"weekdays"'],
    ['revenue per category in percent', '"percent"'],
    ['List stores in alphabetical order', '"alphabetical"'],
    ['How many bikes were sold in the last 30 days?', '"last 30 days"'],
    ['How many bikes were sold last year?', '"last year"'],
    ['How many stores sold at least one bike every month of 2024?', '"every month"'],
    ['How many products cost less than 500 or more than 5000?', '"or"'],
    ['How many bikes did stores that opened in 2015 sell in 2024?', 'several times'],
    ['Which stores opened before 2014 and sold more than 250 in 2024?', 'several times'],
    ['Which store sold bikes every month?', '"every month"'],
    ['Which store has the lowest?', 'which figure'],
    ['How many products are in Berlin?', 'how to join the tables'],
    ['revenue of Velora or Berlin', '"or Berlin"'],
    ['Which store has the most different products in stock?', '"different"'],
  ] as const;
  for (const [question, reason] of CASES) {
    test(question, async () => {
      const written = await ask(BIKES, question);
      expect(written.sql).toBe('');
      expect(written.explanation).toContain(reason);
    });
  }
});

describe('the rules answer', () => {
  test('a number of rows that precedes the requested thing', async () => {
    expect(await sql('Which three stores sold the most bikes in 2024?')).toEndWith('LIMIT 3');
    expect(await sql('Which 2 products are the cheapest?')).toEndWith('LIMIT 2');
  });

  test('the number of different things sold, instead of the number of pieces', async () => {
    for (const word of ['different', 'distinct'])
      expect(await sql(`How many ${word} products were sold in 2024?`)).toStartWith(
        'SELECT count(DISTINCT products.product_id) AS number_of_products FROM sales',
      );
  });

  test('a comparison of units as a comparison of their sum', async () => {
    const few = await sql('Which products sold fewer than 20 units in 2024?');
    expect(few).toContain('HAVING sum(sales.quantity) < 20');
    const many = await sql('Which products have more than 100 units in stock?');
    expect(many).toContain('HAVING sum(stock.quantity) > 100');
    expect(many).not.toContain('WHERE');
  });

  test('a list of what is in stock', async () => {
    const cheapest = await sql('Cheapest city bike in stock in Berlin?');
    expect(cheapest).toContain('FROM stock JOIN');
    expect(cheapest).toContain('stock.quantity > 0');
    expect(cheapest).not.toContain('reviews');
  });

  test('which things are in stock, without those that are out of stock', async () => {
    expect(await sql('Which bikes are in stock in Berlin?')).toContain('HAVING sum(stock.quantity) > 0');
    for (const question of ['Which city bikes are in stock?', 'List the city bikes in stock']) {
      const listed = await sql(question);
      expect(listed).toStartWith('SELECT DISTINCT products.product_id, products.brand');
      expect(listed).toEndWith("products.category = 'city' AND stock.quantity > 0");
    }
  });

  test('a group by a column of a table that is named before it', async () => {
    expect(await sql('revenue by category and store country')).toContain(
      'GROUP BY products.category, stores.country',
    );
  });

  test('any or none of several values of a column, known and guessed', async () => {
    expect(await sql('Which stores are in Spain and Italy?')).toMatch(/'spain' IN .* OR 'italy' IN /);
    expect(await sql('How many stores are in Germany and Spain?')).toMatch(/= 'Germany' OR 'spain' IN /);
    expect(await sql('revenue outside Berlin and Munich')).toEndWith(
      "WHERE (stores.city <> 'Berlin' AND stores.city <> 'Munich')",
    );
    expect(await sql('revenue in Paris')).not.toContain('brand');
  });

  test('a list with commas, whose items are separate names', async () => {
    expect(await sql('Which stores are in Spain, France and Italy?')).toMatch(
      /'spain' IN .* OR 'france' IN .* OR 'italy' IN /,
    );
  });

  test('the number of brands sold, based on the sales', async () => {
    expect(await sql('How many brands were sold in 2024?')).toStartWith(
      'SELECT count(DISTINCT products.brand) AS number_of_brand FROM sales',
    );
  });

  test('a price together with the stock, compared with the price', async () => {
    expect(await sql('Which products cost more than 3000 and are in stock?')).toContain(
      'WHERE products.list_price > 3000',
    );
  });

  test('the date of a table that a group names', async () => {
    expect(await sql('How many bikes were sold by stores opened in 2015?')).toContain(
      'stores.opened >= DATE',
    );
  });

  test('several closed time ranges of one column', async () => {
    expect(await sql('How many bikes were sold in 2023 and 2024?')).toContain(' OR ');
  });
});
