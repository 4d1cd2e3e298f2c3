/** Statements beyond a plain SELECT, in a database with hidden tables and without user functions. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FUNCTIONS } from '../../../../tools/sql/duckdb/guard/calls/functions.ts';
import { openDuckDb } from '../../../../tools/sql/duckdb/open.ts';
import { type SqlEngine, SqlError } from '../../../../tools/sql/engine.ts';
import { type Database, makeDatabase, writeDatabase } from '../database.ts';
import { REFUSED, REFUSED_IN_FORMS, REFUSED_SUMMARIES } from '../hostile-statements.ts';
import { tracesOf } from '../traces.ts';

let database: Database;
let engine: SqlEngine;

const HIDDEN = [
  'CREATE VIEW order_view AS SELECT * FROM orders',
  'CREATE SCHEMA private',
  "CREATE TABLE private.secrets AS SELECT 'top secret' AS secret, 1 AS id",
  'CREATE TABLE computed (a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1))',
];

beforeAll(async () => {
  database = await makeDatabase([]);
  await writeDatabase(database.path);
  await writeDatabase(database.path, HIDDEN);
  writeFileSync(join(database.folder, 'secret.csv'), 'a,b\n1,top secret\n');
  engine = openDuckDb({ path: database.path, processes: 1, querySeconds: 1 });
});

afterAll(async () => {
  await engine.close();
  database.remove();
});

const rowsOf = async (sql: string) => (await engine.query(sql)).rows;
const refusalOf = (sql: string) => engine.query(sql).catch((error) => error);
const fill = (sql: string) => sql.replaceAll('$DB', database.path).replaceAll('$FOLDER', database.folder);

test('a recursion that terminates returns its rows', async () => {
  const numbers =
    'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT list(n) AS l';
  expect(await rowsOf(`${numbers} FROM t`)).toEqual([{ l: [1, 2, 3, 4, 5] }]);
  const circle =
    'WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT (n + 1) % 3 FROM t) SELECT count(*) AS n FROM t';
  expect(await rowsOf(circle)).toEqual([{ n: 3 }]);
  const chain = `WITH RECURSIVE chain AS (SELECT id, 0 AS depth FROM customers WHERE id = 1
    UNION ALL SELECT c.id, depth + 1 FROM customers c JOIN chain ON c.id = chain.id * 2) SELECT max(depth) AS d FROM chain`;
  expect(await rowsOf(chain)).toEqual([{ d: 4 }]);
});

test('a recursive table is only visible in its definition', async () => {
  const inner = `WITH RECURSIVE duckdb_settings(x) AS (SELECT 1 UNION ALL
    SELECT x + 1 FROM (WITH y AS (FROM duckdb_settings) FROM y) WHERE x < 3) SELECT count(*) AS n FROM duckdb_settings`;
  expect(await rowsOf(inner)).toEqual([{ n: 3 }]);
});

test('DESCRIBE and SUMMARIZE show an allowed table and the result of a query', async () => {
  expect((await rowsOf('DESCRIBE orders')).map((row) => row.column_name)).toContain('amount');
  expect(
    await rowsOf('SELECT column_name, count FROM (SUMMARIZE customers) WHERE column_name = $$city$$'),
  ).toEqual([{ column_name: 'city', count: 20 }]);
  expect(await rowsOf('DESCRIBE SELECT 1::TINYINT AS a')).toMatchObject([
    { column_name: 'a', column_type: 'TINYINT' },
  ]);
  expect(await engine.check('SUMMARIZE orders')).toMatchObject({ ok: true, tables: ['orders'] });
});

test.each(Object.entries(REFUSED_SUMMARIES))('a summary is rejected by %s', async (rule, statements) => {
  for (const statement of statements)
    expect([statement, await refusalOf(fill(statement))]).toMatchObject([
      statement,
      { kind: 'refused', rule },
    ]);
});

test('a summary that reads too much ends like any other statement', async () => {
  const failure = await refusalOf(
    'SUMMARIZE SELECT a.note || b.note AS n FROM orders a JOIN orders b USING (same) JOIN orders c USING (same)',
  );
  expect(['timeout', 'limit']).toContain(failure.kind);
});

test('PIVOT finds its values itself, in the order of their column', async () => {
  const cities =
    'WITH few AS (SELECT city, id % 2 AS odd FROM customers WHERE id < 6) PIVOT few ON city USING count(*)';
  expect((await engine.query(`SELECT * FROM (${cities}) ORDER BY odd`)).rows).toEqual([
    { odd: 0, Basel: 1, Bern: 1, Zug: 1 },
    { odd: 1, Basel: 1, Bern: 1, Zug: 1 },
  ]);
  const months = await engine.query('PIVOT orders ON month(ordered_on) USING sum(amount) AS s GROUP BY same');
  expect(months.columns.map(({ name }) => name)).toEqual([
    'same',
    ...Array.from({ length: 12 }, (_, n) => `${n + 1}_s`),
  ]);
});

test('PIVOT reads a join, a query, two columns, and an expression with text that looks like its end', async () => {
  for (const statement of [
    'PIVOT customers JOIN orders ON customers.id = orders.customer_id ON city USING sum(amount) GROUP BY quantity',
    'PIVOT (FROM customers WHERE id > 2) ON city USING count(*) GROUP BY name ORDER BY name LIMIT 3',
    'PIVOT orders ON quantity, same USING count(*) AS n, max(amount) AS m GROUP BY customer_id',
    "PIVOT customers ON city || ', USING /*' USING count(*) -- ON name\nGROUP BY id",
    "FROM (PIVOT customers ON city USING count(*) GROUP BY id) a JOIN (PIVOT customers ON city IN ('Bern') USING count(*) GROUP BY id) b USING (id)",
  ])
    expect([statement, (await engine.query(statement)).rowCount]).toEqual([statement, expect.any(Number)]);
});

test('a call after a column is a call with that column', async () => {
  expect(
    await rowsOf("SELECT c.name.lower().split_part(' ', 1) AS n, tags.len() AS l FROM customers c LIMIT 1"),
  ).toEqual([{ n: 'customer', l: 1 }]);
  expect(
    await rowsOf('SELECT tags.list_transform(lambda t: t.upper()) AS t FROM customers WHERE id = 1'),
  ).toEqual([{ t: ['A', 'B'] }]);
});

test('bar draws with at most a thousand characters', async () => {
  expect(await rowsOf('SELECT bar(5, 0, 10, 4) AS b')).toEqual([{ b: '██  ' }]);
  expect(String((await rowsOf('SELECT id.bar(0, 999) AS b FROM orders WHERE id = 999'))[0]?.b).length).toBe(
    80,
  );
});

test('information_schema.columns has the allowed tables and no others', async () => {
  const all = 'SELECT DISTINCT table_schema AS s, table_name AS t FROM information_schema.columns ORDER BY t';
  expect(await rowsOf(all)).toEqual(
    ['customers', 'odd "name', 'orders'].map((table) => ({ s: 'main', t: table })),
  );
  const own = `SELECT information_schema.columns.data_type AS d FROM information_schema.columns
    WHERE columns.column_name = 'amount'`;
  expect(await rowsOf(own)).toEqual([{ d: 'DECIMAL(10,2)' }]);
  expect(
    await rowsOf('PIVOT information_schema.columns ON table_name USING count(*) GROUP BY table_schema'),
  ).toMatchObject([{ table_schema: 'main', orders: 8 }]);
  expect(await engine.check(all)).toMatchObject({ ok: true, tables: ['information_schema.columns'] });
  // A number that JSON cannot represent must not become another one.
  expect(await refusalOf('SELECT 9007199254740993 AS n FROM information_schema.columns')).toMatchObject({
    rule: 'unknown_syntax',
  });
});

test('functions of the database file disable SUMMARIZE, and do not affect PIVOT or DESCRIBE', async () => {
  const other = await makeDatabase([]);
  const macros = [...FUNCTIONS]
    .filter((name) => /^\w+$/.test(name) && name !== 'max')
    .map((name) => `CREATE MACRO "${name}"(x) AS 'stolen', (x, y) AS 'stolen', (x, y, z) AS 'stolen'`);
  await writeDatabase(other.path);
  await writeDatabase(other.path, macros);
  const guarded = openDuckDb({ path: other.path, processes: 1, querySeconds: 5 });
  try {
    for (const statement of [
      'PIVOT customers ON city USING max(id) GROUP BY name ORDER BY name',
      'DESCRIBE customers',
      "SELECT table_name FROM information_schema.columns WHERE column_name = 'id'",
    ])
      expect((await guarded.query(statement)).rows).toEqual(await rowsOf(statement));
    expect(await guarded.check('SUMMARIZE customers')).toMatchObject({
      ok: false,
      rule: 'function_not_allowed',
    });
    expect(await guarded.check('SELECT name.lower() FROM customers')).toMatchObject({ ok: false });
  } finally {
    await guarded.close();
    other.remove();
  }
});

test('parts of hostile statements in ordinary ones reveal nothing', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  console.log(`seed ${seed}`);
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const hostile = [REFUSED, REFUSED_IN_FORMS, REFUSED_SUMMARIES]
    .flatMap((each) => Object.values(each).flat())
    .filter(({ length }) => length < 400);
  const before = tracesOf(database);
  let passed = 0;
  for (let round = 0; round < 3_000; round++) {
    const pieces = piecesOf(pick(ORDINARY));
    for (let edits = 0.5 + random(); edits > 0; edits--) {
      const bad = piecesOf(fill(pick(hostile)));
      const from = Math.floor(random() * bad.length);
      pieces.splice(random() * pieces.length, random() * 2, ...bad.slice(from, from + 1 + random() * 3));
    }
    const sql = pieces.join('');
    const answer = await engine.query(sql).catch((error) => error);
    if (answer instanceof SqlError) continue;
    passed++;
    const rows = JSON.stringify(answer.rows);
    // The content of the statement itself is no secret.
    const leaked = SECRETS.filter((secret) => rows.includes(secret) && !sql.includes(secret));
    expect([seed, sql, leaked]).toEqual([seed, sql, []]);
  }
  expect(passed).toBeGreaterThan(50);
  expect(tracesOf(database)).toEqual(before);
}, 120_000);

const SECRETS = ['top secret', 'order_view', 'computed', 'memory_limit', '.duckdb'];

const ORDINARY = [
  'SUMMARIZE orders',
  'SELECT * FROM (DESCRIBE customers)',
  'DESCRIBE SELECT name FROM customers',
  'PIVOT customers ON city USING count(*)',
  'WITH x AS (SELECT city, id FROM customers) SELECT * FROM (PIVOT x ON city USING max(id))',
  'SELECT name.lower(), city.upper() FROM customers',
  'SELECT bar(amount, 0, 100, 20) FROM orders LIMIT 3',
  'SELECT table_name, column_name FROM information_schema.columns WHERE data_type = 1::VARCHAR OR true',
  'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t, customers',
];

function piecesOf(sql: string): string[] {
  return sql.match(/'[^']*'|"[^"]*"|\w+|\s+|[^\w\s]/g) ?? [];
}

/** The generator of Numerical Recipes. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
