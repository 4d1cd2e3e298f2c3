/** Ordinary analytic statements: they pass the guard and return rows. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openDuckDb } from '../../../../tools/sql/duckdb/open.ts';
import type { SqlEngine } from '../../../../tools/sql/engine.ts';
import { type Database, makeDatabase, writeDatabase } from '../database.ts';

const STATEMENTS = [
  'SELECT count(*) FROM orders',
  'FROM orders',
  'TABLE customers',
  'SELECT * FROM main.orders LIMIT 5 OFFSET 2',
  'SELECT * FROM sample.main.orders LIMIT 1',
  'SELECT * FROM ORDERS LIMIT 1',
  'SELECT "a column" FROM "odd ""name"',
  "SELECT 'one; statement' AS text -- DROP TABLE orders; \n /* ; */ ;",
  'SELECT city, count(*) AS n FROM customers GROUP BY city ORDER BY n DESC NULLS LAST, city ASC',
  'SELECT city, name FROM customers GROUP BY ALL ORDER BY ALL',
  'SELECT c.city, sum(o.amount) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1 HAVING sum(o.amount) > 5',
  'SELECT * FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.quantity > 5',
  'SELECT name FROM customers c SEMI JOIN orders o ON o.customer_id = c.id',
  'SELECT c.name FROM customers c ANTI JOIN orders o ON o.customer_id = c.id + 18',
  'SELECT o.id, p.id FROM orders o ASOF JOIN orders p ON o.placed_at >= p.placed_at LIMIT 3',
  'SELECT DISTINCT ON (customer_id) customer_id, amount FROM orders ORDER BY customer_id, amount DESC',
  'SELECT id, row_number() OVER (PARTITION BY customer_id ORDER BY placed_at) AS n FROM orders QUALIFY n = 1',
  'SELECT id, sum(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders LIMIT 9',
  'SELECT id, lag(amount, 1, 0) OVER w, rank() OVER w FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY id)',
  'SELECT ntile(4) OVER (ORDER BY amount), percent_rank() OVER (ORDER BY amount) FROM orders',
  'SELECT first_value(id) OVER (ORDER BY placed_at RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM orders',
  "SELECT date_trunc('month', ordered_on) AS month, sum(amount) FROM orders GROUP BY 1 ORDER BY 1",
  "SELECT strftime(ordered_on, '%Y-%m') AS month, avg(amount) FROM orders GROUP BY month",
  "SELECT extract(year FROM ordered_on), month(ordered_on), dayname(ordered_on), date_part('dow', placed_at) FROM orders",
  "SELECT datediff('day', min(ordered_on), max(ordered_on)), age(max(placed_at), min(placed_at)) FROM orders",
  'SELECT count(*) FROM orders WHERE ordered_on >= current_date - INTERVAL 1 YEAR OR ordered_on < today() - 30 OR true',
  "SELECT time_bucket(INTERVAL '1 week', ordered_on) AS week, count(*) FROM orders GROUP BY week",
  "SELECT * FROM orders WHERE ordered_on BETWEEN DATE '2023-02-01' AND '2023-02-28'::DATE",
  'WITH big AS (SELECT * FROM orders WHERE amount > 100), few AS MATERIALIZED (FROM big LIMIT 3) SELECT * FROM few',
  'WITH a AS (SELECT 1 AS n), A2 AS (SELECT n + 1 AS n FROM A) SELECT * FROM a UNION ALL SELECT * FROM a2',
  'SELECT id FROM orders INTERSECT SELECT id FROM customers EXCEPT SELECT 3',
  '(SELECT id FROM orders LIMIT 1) UNION ALL BY NAME (SELECT name, id FROM customers LIMIT 1)',
  "SELECT * FROM (SELECT city, id FROM customers) PIVOT (count(id) FOR city IN ('Bern', 'Zug'))",
  "PIVOT customers ON city IN ('Bern', 'Zug') USING count(*) GROUP BY name",
  'UNPIVOT (SELECT id, quantity FROM orders) ON id, quantity INTO NAME what VALUE number',
  "SELECT CASE WHEN amount > 500 THEN 'big' WHEN amount > 10 THEN 'some' ELSE 'small' END AS size, count(*) FROM orders GROUP BY 1",
  'SELECT count(*) FILTER (WHERE quantity > 3), sum(amount) FILTER (quantity = 1) FROM orders',
  'SELECT city, grouping(city), count(*) FROM customers GROUP BY ROLLUP (city)',
  'SELECT city, name, count(*) FROM customers GROUP BY CUBE (city, name)',
  'SELECT city, count(*) FROM customers GROUP BY GROUPING SETS ((city), ())',
  'SELECT c.name, t.tag FROM customers c, UNNEST(c.tags) AS t(tag)',
  'SELECT name, unnest(tags), unnest(address) FROM customers',
  'SELECT o.id, total.share FROM orders o, (SELECT avg(amount) AS share FROM orders) total WHERE o.amount > total.share',
  'SELECT count(*) FROM orders o, customers c WHERE o.customer_id = c.id',
  "SELECT d, count(o.id) FROM range(DATE '2023-01-01', DATE '2023-12-31', INTERVAL 1 DAY) s(d) LEFT JOIN orders o ON o.ordered_on <= d GROUP BY d",
  'SELECT c.name, o.total FROM customers c, LATERAL (SELECT sum(amount) AS total FROM orders WHERE customer_id = c.id) o',
  "SELECT d::DATE FROM generate_series(DATE '2023-01-01', DATE '2023-12-31', INTERVAL 1 DAY) s(d)",
  "SELECT * FROM range(TIMESTAMP '2023-01-01', TIMESTAMP '2023-01-02', INTERVAL '6 hours')",
  'SELECT i, range(3), generate_series(-5, 5, 2) FROM range(10) t(i)',
  "SELECT regexp_replace(name, '[0-9]+', '#', 'g'), regexp_extract(name, '\\d+') FROM customers WHERE name ~ '.*1.*'",
  "SELECT upper(name), left(name, 3), lpad(id::VARCHAR, 5, '0'), split_part(name, ' ', 2) || '!' FROM customers",
  "SELECT name FROM customers WHERE name ILIKE 'customer 1%' AND name NOT LIKE '%9' AND city IN ('Bern', 'Basel')",
  "SELECT format('{:,.2f}', sum(amount)::DOUBLE), printf('%.1f', avg(amount)) FROM orders",
  "SELECT note->>'channel', json_extract(note, '$.n')::INTEGER, note->'$.n' FROM orders",
  'SELECT median(amount), quantile_cont(amount, [0.1, 0.9]), stddev(amount), mode(quantity), corr(id, amount) FROM orders',
  "SELECT string_agg(DISTINCT city, ', ' ORDER BY city), list(id ORDER BY id), arg_max(name, id), max(id, 3) FROM customers",
  "SELECT list_transform(tags, lambda t: upper(t)), [t || t FOR t IN tags IF t > 'a'], tags[1], tags[1:2] FROM customers",
  "SELECT address.street, address['zip'], {'a': 1}, map {'k': 1}['k'] FROM customers",
  "SELECT coalesce(NULL, 1), ifnull(NULL, 2), nullif(1, 1), greatest(1, 2), try_cast('x' AS INTEGER), if(true, 1, 2)",
  'SELECT round(10 / 3, 2), 10 // 3, 10 % 3, 2 ** 8, abs(-1), floor(1.5), 1 IS DISTINCT FROM 2, NOT true, -(1)',
  'SELECT * EXCLUDE (note) REPLACE (round(amount) AS amount) FROM orders LIMIT 3',
  "SELECT min(COLUMNS('id|amount')) FROM orders",
  'SELECT * FROM orders WHERE amount > (SELECT avg(amount) FROM orders) AND customer_id = ANY (SELECT id FROM customers)',
  'SELECT name, EXISTS (SELECT 1 FROM orders WHERE customer_id = customers.id) FROM customers',
  "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v(n, letter)",
  'SELECT * FROM orders USING SAMPLE 10 ROWS',
  'SELECT approx_count_distinct(customer_id), histogram(quantity), bool_or(quantity > 3) FROM orders',
  "SELECT name COLLATE NOCASE, id::DECIMAL(10, 2), '2023-01-01'::TIMESTAMPTZ, CAST(id AS VARCHAR), id::UBIGINT FROM customers",
  'SELECT name.lower().replace($$ $$, $$-$$) AS slug FROM customers',
  'SELECT quantity, bar(count(*), 0, 1000, 40) FROM orders GROUP BY 1 ORDER BY 1',
  'PIVOT orders ON quantity USING sum(amount), count(*) AS n GROUP BY customer_id ORDER BY customer_id',
  'WITH o AS (SELECT year(ordered_on) AS y, month(ordered_on) AS m, amount FROM orders) PIVOT o ON m USING sum(amount)',
  'SELECT column_name, null_percentage FROM (SUMMARIZE orders)',
  'SELECT column_name FROM (DESCRIBE orders) WHERE column_type = $$INTEGER$$',
  'SELECT table_name, count(*) FROM information_schema.columns GROUP BY 1 ORDER BY 1',
  `WITH RECURSIVE days(d) AS (SELECT DATE '2023-01-01' UNION ALL SELECT d + 1 FROM days WHERE d < DATE '2023-01-31')
     SELECT d, count(o.id) FROM days LEFT JOIN orders o ON o.ordered_on = d GROUP BY d ORDER BY d`,
  "SELECT timezone('Europe/Berlin', placed_at::TIMESTAMPTZ), now() AT TIME ZONE 'America/New_York' FROM orders",
  'UNPIVOT (SELECT id, quantity, same FROM orders) ON quantity, same INTO NAME what VALUE number',
  'SELECT customer_id, sum(amount) / sum(sum(amount)) OVER () AS share FROM orders GROUP BY customer_id',
  'SELECT * FROM orders TABLESAMPLE reservoir(10 ROWS) REPEATABLE (42)',
  `SELECT id FROM orders WHERE ${Array.from({ length: 500 }, (_, id) => `id = ${id}`).join(' OR ')}`,
];

let database: Database;
let engine: SqlEngine;

beforeAll(async () => {
  database = await makeDatabase([]);
  await writeDatabase(database.path);
  engine = openDuckDb({ path: database.path, processes: 1 });
});

afterAll(async () => {
  await engine.close();
  database.remove();
});

test('there are at least 40 analytic statements', () => {
  expect(STATEMENTS.length).toBeGreaterThan(60);
});

test.each(STATEMENTS)('%s', async (statement) => {
  const { rows, rowCount } = await engine.query(statement);
  expect(rowCount).toBeGreaterThan(0);
  expect(rows.length).toBe(rowCount);
});

test('a check returns the tables that a statement reads, and the checked statement', async () => {
  const sql =
    'WITH o AS (FROM ORDERS) SELECT * FROM o JOIN main.customers c ON c.id = o.customer_id, o AS again';
  expect(await engine.check(sql)).toEqual({
    ok: true,
    tables: ['customers', 'orders'],
    checks: ['one_statement', 'select_only', 'tables_allowed', 'functions_allowed'],
  });
});

test("an unknown name has its own error code, with the database's message", async () => {
  const failure = await engine.query('SELECT nme FROM customers').catch((error) => error);
  expect(failure).toMatchObject({ name: 'SqlError', kind: 'failed', rule: undefined });
  expect(failure.reason).toContain('"name"');
  expect(await engine.check('SELECT nme FROM customers')).toMatchObject({ ok: false, rule: 'invalid_sql' });
});

test("an error after the first rows has the database's message too", async () => {
  const failure = await engine.query("SELECT (name || 'x')::INTEGER FROM customers").catch((error) => error);
  expect(failure).toMatchObject({ kind: 'failed' });
  expect(failure.reason).toContain('Conversion Error');
});
