/** The guard checks every part of a statement, and rejects anything unknown. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Catalog } from '../../../../tools/sql/duckdb/catalog.ts';
import { FUNCTIONS, TABLE_FUNCTIONS } from '../../../../tools/sql/duckdb/guard/calls/functions.ts';
import { checkSql } from '../../../../tools/sql/duckdb/guard/guard.ts';
import { walkTree } from '../../../../tools/sql/duckdb/guard/tree.ts';
import { openSandbox, type Sandbox } from '../../../../tools/sql/duckdb/process/sandbox.ts';
import { readCatalog } from '../../../../tools/sql/duckdb/tables/schema.ts';
import { type Database, makeDatabase } from '../database.ts';

let database: Database;
let sandbox: Sandbox;
let catalog: Catalog;

beforeAll(async () => {
  database = await makeDatabase();
  sandbox = await openSandbox({ path: database.path });
  catalog = await readCatalog(sandbox.connection);
});

afterAll(() => {
  sandbox.close();
  database.remove();
});

/** `$` is an expression of whole numbers. */
const EXPRESSION_PLACES = [
  'SELECT $',
  'SELECT $ AS x FROM orders',
  'SELECT DISTINCT $ FROM orders',
  'SELECT DISTINCT ON ($) id FROM orders',
  'SELECT id FROM orders WHERE id = $',
  'SELECT id FROM orders WHERE id IN (1, $)',
  'SELECT id FROM orders WHERE id BETWEEN 1 AND $',
  'SELECT id FROM orders WHERE $ IS NULL OR NOT ($ > 1)',
  'SELECT id FROM orders WHERE id = ANY (SELECT $)',
  'SELECT id FROM orders WHERE $ IN (SELECT id FROM customers)',
  'SELECT id FROM orders WHERE EXISTS (SELECT 1 WHERE $ = 1)',
  'SELECT id FROM orders ORDER BY $',
  'SELECT id FROM orders LIMIT $',
  'SELECT id FROM orders LIMIT 1 OFFSET $',
  'SELECT id FROM orders LIMIT (SELECT $)',
  'SELECT 1 FROM orders GROUP BY $',
  'SELECT 1 FROM orders GROUP BY GROUPING SETS (($), ())',
  'SELECT 1 FROM orders GROUP BY ROLLUP ($)',
  'SELECT count(*) FROM orders HAVING count(*) > $',
  'SELECT id FROM orders QUALIFY row_number() OVER () > $',
  'SELECT sum($) FROM orders',
  'SELECT sum(id ORDER BY $) FROM orders',
  'SELECT sum(id) FILTER ($ > 1) FROM orders',
  'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY $) FROM orders',
  'SELECT sum($) OVER () FROM orders',
  'SELECT sum(id) OVER (PARTITION BY $) FROM orders',
  'SELECT sum(id) OVER (ORDER BY $) FROM orders',
  'SELECT sum(id) OVER (ROWS BETWEEN $ PRECEDING AND CURRENT ROW) FROM orders',
  'SELECT sum(id) OVER (ROWS BETWEEN CURRENT ROW AND $ FOLLOWING) FROM orders',
  'SELECT sum(id) FILTER ($ > 1) OVER () FROM orders',
  'SELECT lag(id, $) OVER (ORDER BY id) FROM orders',
  'SELECT lag(id, 1, $) OVER (ORDER BY id) FROM orders',
  'SELECT sum(id) OVER w FROM orders WINDOW w AS (ORDER BY $)',
  'SELECT CASE WHEN $ > 1 THEN 1 END',
  'SELECT CASE WHEN true THEN $ END',
  'SELECT CASE WHEN true THEN 1 ELSE $ END',
  'SELECT CASE $ WHEN 1 THEN 1 END',
  'SELECT coalesce(NULL, $)',
  'SELECT try($)',
  'SELECT ($)::VARCHAR',
  'SELECT [1, $]',
  'SELECT [1, 2][$]',
  'SELECT [1, 2][1:$]',
  'SELECT [x + $ FOR x IN [1] IF x > 0]',
  'SELECT [x FOR x IN [1] IF x > $]',
  'SELECT list_transform([1], lambda x: x + $)',
  "SELECT {'a': $}",
  "SELECT {'a': 1}.a + $",
  'SELECT map {1: $}',
  'SELECT map {$: 1}',
  'SELECT ($, 1)',
  'SELECT -($)',
  'SELECT abs($)',
  "SELECT to_days($) + DATE '2024-01-01'",
  'SELECT INTERVAL ($) DAY',
  'SELECT * REPLACE ($ AS id) FROM orders',
  'SELECT COLUMNS(c -> length(c) > $) FROM orders',
  'SELECT sum(COLUMNS(*) + $) FROM (SELECT 1 AS a)',
  'SELECT * FROM (SELECT $)',
  'SELECT (SELECT $)',
  'VALUES ($)',
  'SELECT * FROM (VALUES (1), ($)) v(a)',
  'SELECT * FROM orders, LATERAL (SELECT $) l',
  'SELECT * FROM orders o JOIN customers c ON o.customer_id = c.id + $',
  'SELECT * FROM orders o LEFT JOIN customers c ON $ = 1',
  'SELECT * FROM unnest([1, $])',
  'SELECT unnest([1, $])',
  'SELECT * FROM range($)',
  'WITH x AS (SELECT $) SELECT * FROM x',
  'WITH x AS (WITH y AS (SELECT $) FROM y) SELECT * FROM x',
  'WITH x AS MATERIALIZED (SELECT $) SELECT * FROM x',
  'SELECT 1 UNION ALL SELECT $',
  'SELECT 1 INTERSECT SELECT $',
  '(SELECT 1 UNION SELECT 2) ORDER BY $',
  "SELECT * FROM (SELECT city, id FROM customers) PIVOT (sum($) FOR city IN ('Bern'))",
  "PIVOT customers ON city IN ('Bern') USING sum($)",
  'FROM (SELECT $) SELECT 1',
];

const EXPRESSION = "length(current_setting('threads'))";

test.each(EXPRESSION_PLACES)('a function is found in any position: %s', async (place) => {
  const check = (expression: string) =>
    checkSql(sandbox.connection, place.replaceAll('$', expression), catalog);
  expect(await check('1')).toMatchObject({ ok: true });
  expect(await check(EXPRESSION)).toMatchObject({ ok: false, rule: expect.stringMatching(/_not_allowed$/) });
});

/** `$` is a table. */
const TABLE_PLACES = [
  'SELECT * FROM $',
  'FROM $',
  'SELECT * FROM orders, $',
  'SELECT * FROM orders CROSS JOIN $',
  'SELECT * FROM $ AS x JOIN orders ON true',
  'SELECT * FROM orders POSITIONAL JOIN $',
  'SELECT * FROM orders NATURAL JOIN $',
  'SELECT * FROM orders SEMI JOIN $ ON true',
  'SELECT * FROM (orders JOIN $ ON true)',
  'SELECT * FROM (FROM $)',
  'SELECT * FROM orders, LATERAL (FROM $)',
  'SELECT (SELECT count(*) FROM $)',
  'SELECT 1 WHERE EXISTS (FROM $)',
  'SELECT 1 IN (SELECT 1 FROM $)',
  'SELECT id FROM orders ORDER BY (SELECT count(*) FROM $)',
  'SELECT 1 LIMIT (SELECT count(*) FROM $)',
  'SELECT id FROM orders UNION ALL SELECT 1 FROM $',
  'SELECT 1 FROM $ EXCEPT SELECT 2',
  'WITH x AS (FROM $) SELECT 1',
  'WITH x AS (WITH y AS (FROM $) SELECT 1) SELECT 1',
  'WITH orders AS (FROM orders), x AS (FROM $) FROM x',
  'SELECT list_transform([1], lambda x: (SELECT count(*) FROM $))',
  'SELECT sum((SELECT count(*) FROM $)) OVER () FROM orders',
  'SELECT * FROM $ PIVOT (count(*) FOR name IN (1))',
  'SELECT * FROM $ USING SAMPLE 1 ROWS',
  'SELECT * FROM $ TABLESAMPLE 10%',
];

const TABLES = ['duckdb_settings()', "'x.csv'", 'information_schema.tables', 'private.secrets', 'order_view'];

test.each(TABLE_PLACES)('a table is found in any position: %s', async (place) => {
  for (const table of TABLES) {
    const verdict = await checkSql(sandbox.connection, place.replaceAll('$', table), catalog);
    expect([table, (verdict as { rule?: string }).rule]).toEqual([table, expect.stringMatching(/^table_/)]);
  }
});

const HARMLESS = { class: 'CONSTANT', type: 'VALUE_CONSTANT', value: { type: { id: 'INTEGER' }, value: 1 } };
const FORBIDDEN = {
  class: 'FUNCTION',
  type: 'FUNCTION',
  function_name: 'query',
  schema: '',
  catalog: '',
  children: [],
};
const select = (parts: object) => ({ node: { type: 'SELECT_NODE', select_list: [HARMLESS], ...parts } });

test.each([
  ['an expression of a new kind', select({ select_list: [{ class: 'NEW', type: 'NEW' }] }), 'unknown_syntax'],
  ['a table of a new kind', select({ from_table: { type: 'NEW_REF' } }), 'unknown_syntax'],
  ['a statement of a new kind', { node: { type: 'NEW_NODE' } }, 'unknown_syntax'],
  ['a function in a new part', select({ new_part: { deeper: [FORBIDDEN] } }), 'function_not_allowed'],
  [
    'a table in a new part',
    select({ new_part: { type: 'BASE_TABLE', table_name: 'x' } }),
    'table_not_allowed',
  ],
  ['a function without a name', select({ having: { class: 'FUNCTION' } }), 'function_not_allowed'],
  [
    'a table function without a function',
    select({ from_table: { type: 'TABLE_FUNCTION' } }),
    'table_function_not_allowed',
  ],
])('syntax of a later DuckDB is rejected: %s', (_, tree, rule) => {
  expect(walkTree(tree, catalog)).toMatchObject({ rule });
});

test('every allowed function exists in DuckDB', async () => {
  const reader = await sandbox.connection.runAndReadAll(
    'SELECT function_name FROM system.main.duckdb_functions()',
  );
  const known = new Set(reader.getRows().map(([name]) => String(name).toLowerCase()));
  const unknown = [...FUNCTIONS, ...TABLE_FUNCTIONS].filter((name) => !known.has(name));
  expect(unknown.sort()).toEqual([]);
});
