/** Rare clauses of each dialect: how they are rewritten, and that invalid variants are rejected. */
import { expect, test } from 'bun:test';
import { checkSql } from '../../../../../tools/sql/cloud/guard/guard.ts';
import { MSSQL } from '../../../../../tools/sql/cloud/guard/mssql-syntax.ts';
import { MYSQL } from '../../../../../tools/sql/cloud/guard/mysql-syntax.ts';
import { POSTGRES } from '../../../../../tools/sql/cloud/guard/postgres-syntax.ts';

const DIALECTS = {
  postgres: { syntax: POSTGRES, path: ['postgres', 'public'] },
  mysql: { syntax: MYSQL, path: ['shop'] },
  mssql: { syntax: MSSQL, path: ['shop', 'dbo'] },
};
const SCHEMA = {
  tables: ['stores', 'sales'],
  columns: new Set(['id', 'city', 'opened', 'store_id', 'amount', 'sold_at', 'note', 'total']),
};

function checked(dialect: keyof typeof DIALECTS, sql: string) {
  const { syntax, path } = DIALECTS[dialect];
  return checkSql(sql, { ...SCHEMA, path }, syntax);
}

test.each([
  ['postgres', 'SELECT city FROM stores WHERE id IN (SELECT store_id FROM sales LIMIT ALL)', 'LIMIT ALL'],
  ['postgres', 'SELECT (SELECT id FROM sales LIMIT 1 OFFSET 2 ROWS) FROM stores', 'LIMIT 1 OFFSET 2 ROWS'],
  ['postgres', 'SELECT (SELECT id FROM sales FETCH FIRST ROW ONLY)', 'FETCH FIRST ROW ONLY'],
  ['postgres', 'SELECT (SELECT id FROM sales FETCH NEXT 1 ROWS ONLY)', 'FETCH NEXT 1 ROWS ONLY'],
  ['mysql', 'SELECT (SELECT id FROM sales LIMIT 0, 1) FROM stores', 'LIMIT 0 , 1'],
  ['postgres', 'SELECT count(*) FILTER (WHERE amount > 1) FROM sales', 'FILTER ( WHERE "amount" > 1 )'],
  ['postgres', 'SELECT first_value(id) IGNORE NULLS OVER (ORDER BY id) FROM sales', 'IGNORE NULLS OVER'],
  ['postgres', 'SELECT n FROM unnest(ARRAY[1, 2]) WITH ORDINALITY AS u(n, o)', 'WITH ORDINALITY'],
  ['postgres', 'SELECT ARRAY[]::int[] FROM stores', 'ARRAY [ ]'],
  ['postgres', 'SELECT (ARRAY[1, 2, 3])[1:2] FROM stores', '[ 1 : 2 ]'],
  ['postgres', 'SELECT (ARRAY[1, 2, 3])[2] FROM stores', '[ 2 ]'],
  ['postgres', 'SELECT top FROM (SELECT city AS top FROM stores) AS s', 'SELECT "top" FROM'],
  ['postgres', 'SELECT int4 FROM (SELECT CAST(amount AS int4) FROM sales) AS s', 'SELECT "int4" FROM'],
  ['postgres', "SELECT city FROM stores WHERE city NOT SIMILAR TO 'a%'", 'NOT SIMILAR TO'],
  ['postgres', 'SELECT id FROM sales WHERE id BETWEEN SYMMETRIC 3 AND 1', 'BETWEEN SYMMETRIC 3 AND 1'],
  ['postgres', "SELECT sold_at AT TIME ZONE 'UTC' FROM sales", 'AT TIME ZONE'],
  ['postgres', 'SELECT CAST(sold_at AS timestamp with time zone) FROM sales', 'TIMESTAMP WITH TIME ZONE'],
  ['postgres', 'SELECT CAST(id AS double precision) FROM sales', 'DOUBLE PRECISION'],
  ['postgres', 'SELECT s.id FROM sales s JOIN stores USING (id)', 'USING ( "id" )'],
  ['postgres', 'SELECT public.stores.city FROM public.stores', '"public"."stores"'],
  ['postgres', 'WITH a AS NOT MATERIALIZED (SELECT id FROM sales) SELECT id FROM a', 'AS NOT MATERIALIZED'],
  ['postgres', 'WITH a AS MATERIALIZED (SELECT id FROM sales) SELECT id FROM a', 'AS MATERIALIZED'],
  ['postgres', 'SELECT count(*) FROM sales GROUP BY GROUPING SETS ((store_id), ())', 'GROUPING SETS'],
  ['postgres', 'SELECT count(*) FROM sales GROUP BY CUBE (store_id, note)', 'CUBE ('],
  ['mysql', 'SELECT note, count(*) FROM sales GROUP BY note WITH ROLLUP', 'WITH ROLLUP'],
  ['mysql', "SELECT group_concat(city ORDER BY city SEPARATOR '; ') FROM stores", "SEPARATOR '; '"],
  ['mysql', 'SELECT CONVERT(id, CHAR) FROM stores', 'CONVERT( `id` , CHAR )'],
  ['mysql', 'SELECT CAST(id AS UNSIGNED INTEGER) FROM stores', 'UNSIGNED INTEGER'],
  ['mysql', 'SELECT 7 DIV 2 FROM stores', '7 DIV 2'],
  ['mysql', "SELECT 'a\\nb\\x' FROM stores", "'a\nbx'"],
  ['mssql', 'SELECT TOP (5) PERCENT WITH TIES city FROM stores ORDER BY city', 'TOP ( 5 ) PERCENT WITH TIES'],
  [
    'mssql',
    'SELECT CONVERT(VARCHAR(MAX), sold_at, 23) FROM sales',
    'CONVERT( VARCHAR ( MAX ) , [sold_at] , 23 )',
  ],
  ['mssql', "SELECT city FROM stores WHERE city = N'Zürich'", "= N'Zürich'"],
  ['postgres', "SELECT city FROM stores WHERE city = N'Zürich'", "= 'Zürich'"],
  ['mysql', "SELECT city FROM stores WHERE city = n'Zürich'", "= 'Zürich'"],
  ['mssql', 'SELECT shop.dbo.stores.city FROM shop.dbo.stores', '[shop].[dbo].[stores]'],
] as const)('%s: %s', (dialect, sql, part) => {
  const verdict = checked(dialect, sql);
  expect([verdict.ok || verdict.reason, verdict.ok && verdict.text]).toEqual([true, expect.any(String)]);
  // White space of the rewritten statement doesn't matter.
  const plain = (text: string) => text.replaceAll(/ +/g, '').toUpperCase();
  expect(plain(verdict.ok ? verdict.text : '')).toContain(plain(part));
});

test.each([
  ['postgres', 'SELECT id FROM sales FETCH PRIOR 1 ROWS ONLY'],
  ['postgres', 'SELECT id FROM sales FETCH FIRST 1 ROWS'],
  ['postgres', 'SELECT id FROM sales LIMIT 1.5'],
  ['postgres', 'SELECT id FROM sales LIMIT id'],
  ['postgres', 'SELECT a.b.c.d.e FROM stores'],
  ['postgres', 'SELECT id FROM a.b.c.d.e.stores'],
  ['postgres', 'SELECT CAST(id AS regclass) FROM stores'],
  ['postgres', 'SELECT CAST(\'1\' AS "int") FROM stores'],
  ['postgres', 'SELECT nothing FROM stores'],
  ['postgres', 'SELECT id FROM sales WHERE city SIMILAR city'],
  ['postgres', 'WITH a AS NOT (SELECT 1) SELECT 1'],
  ['postgres', "SELECT 'a\0b' FROM stores"],
  ['postgres', 'SELECT "" FROM stores'],
  ['postgres', "SELECT city AS '' FROM stores"],
  ['mysql', "SELECT 'a\\0b' FROM stores"],
  ['mysql', "SELECT 'a\\"],
  ['mssql', 'SELECT TOP (5 city FROM stores'],
  ['mssql', 'SELECT TOP 5 WITH city FROM stores'],
] as const)('%s is rejected: %s', (dialect, sql) => {
  expect(checked(dialect, sql)).toMatchObject({ ok: false, reason: expect.stringMatching(/\S/) });
});
