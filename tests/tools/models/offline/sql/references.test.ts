/** Follow-ups: what they change, and which are rejected because they refer to a result that the rules don't have. */
import { describe, expect, test } from 'bun:test';
import { ask, SHOP } from './ask.ts';

const sql = async (...questions: string[]) => (await ask(SHOP, ...questions)).sql.replaceAll('\n', ' ');

describe('the rules reject the follow-up', () => {
  const CASES = [
    ['How many stores are there?', 'which ones?', '"which ones"'],
    ['Which product has the highest price?', 'how many of it were sold?', '"it"'],
    ['Which product has the highest price?', 'who makes it?', '"it"'],
    ['revenue of Bike Hub', 'and both together?', '"both"'],
    ['revenue of Bike Hub', 'compare them', '"compare them"'],
    ['Which store sold the most bikes?', 'with more than 10 sales?', 'limiting another one'],
    ['revenue of city bikes', 'what about all categories?', 'what to change'],
    ['revenue of city bikes', 'and in total?', 'of which column to compute the total'],
    ['revenue of city bikes', 'and last year?', '"last year"'],
  ] as const;
  for (const [first, next, reason] of CASES) {
    test(`${first} ${next}`, async () => {
      const written = await ask(SHOP, first, next);
      expect(written.sql).toBe('');
      expect(written.explanation).toContain(reason);
    });
  }
});

describe('the rules answer', () => {
  test('the count of something else', async () => {
    expect(await sql('How many stores are there?', 'and products?')).toBe(
      'SELECT count(*) AS number_of_products FROM products',
    );
  });

  test('how many of another kind, of the items sold before', async () => {
    for (const next of ['and how many e-bikes?', 'how many of them were e-bikes?']) {
      const statement = await sql('How many bikes were sold in 2024?', next);
      expect(statement).toStartWith('SELECT sum(sales.quantity)');
      expect(statement).toContain("products.category = 'e-bike'");
      expect(statement).toContain("sales.sale_date >= DATE '2024-01-01'");
    }
  });

  test('another figure of the same groups, and their lowest', async () => {
    const steps = ['revenue per store', 'only Berlin', 'and the number of sales?'];
    expect(await sql(...steps)).toMatch(/count\(\*\) .*stores\.city = 'Berlin' GROUP BY stores\.store_id/);
    expect(await sql(...steps, 'which store has the lowest?')).toMatch(
      /count\(\*\) .*'Berlin' .* ORDER BY number_of_sales ASC LIMIT 1$/,
    );
  });

  test('another aggregate of the same column', async () => {
    expect(await sql('average list price per brand', 'and the median?')).toContain(
      'median(products.list_price)',
    );
  });

  test('another place instead of the first, even if it is excluded', async () => {
    expect(await sql('How many city bikes were sold in Berlin?', 'and in Spain?')).toMatch(
      /products\.category = 'city' AND 'spain' IN \(lower\(stores\.name\), lower\(stores\.city\)\)$/,
    );
    expect(await sql('revenue in Berlin', 'outside Zürich?')).toEndWith("WHERE stores.city <> 'Zürich'");
  });

  test('a complete question that says so', async () => {
    expect(await sql('How many city bikes were sold in Berlin?', 'and how many stores are there?')).toBe(
      'SELECT count(*) AS number_of_stores FROM stores',
    );
  });
});
