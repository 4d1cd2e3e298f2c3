/** The guard of every dialect, without a server: which rule rejects a statement, and which SQL would run for the others. */
import { expect, test } from 'bun:test';
import { checkSql } from '../../../../../tools/sql/cloud/guard/guard.ts';
import { MSSQL } from '../../../../../tools/sql/cloud/guard/mssql-syntax.ts';
import { MYSQL } from '../../../../../tools/sql/cloud/guard/mysql-syntax.ts';
import { POSTGRES } from '../../../../../tools/sql/cloud/guard/postgres-syntax.ts';
import { HOSTILE } from '../hostile-for-all.ts';
import { HOSTILE_MSSQL } from '../hostile-mssql.ts';
import { HOSTILE_MYSQL } from '../hostile-mysql.ts';
import { HOSTILE_POSTGRES } from '../hostile-postgres.ts';

const tables = ['stores', 'sales', 'city_sales'];
const columns = new Set(['id', 'city', 'opened', 'store_id', 'amount', 'sold_at', 'note', 'total']);

const DIALECTS = {
  postgres: { syntax: POSTGRES, path: ['postgres', 'public'], own: HOSTILE_POSTGRES },
  mysql: { syntax: MYSQL, path: ['shop'], own: HOSTILE_MYSQL },
  mssql: { syntax: MSSQL, path: ['shop', 'dbo'], own: HOSTILE_MSSQL },
};

function checked(dialect: keyof typeof DIALECTS, sql: string) {
  const { syntax, path } = DIALECTS[dialect];
  return checkSql(sql, { path, tables, columns }, syntax);
}

for (const dialect of ['postgres', 'mysql', 'mssql'] as const) {
  const { own } = DIALECTS[dialect];
  test(`${dialect}: at least 40 hostile statements of this dialect, each rejected by its rule`, () => {
    expect(Object.values(own).flat().length).toBeGreaterThanOrEqual(40);
    for (const [rule, statements] of Object.entries(own))
      for (const sql of statements)
        expect([sql.slice(0, 80), checked(dialect, sql)]).toMatchObject([
          sql.slice(0, 80),
          { ok: false, rule },
        ]);
  });

  test(`${dialect}: statements that every dialect rejects`, () => {
    for (const statements of Object.values(HOSTILE))
      for (const sql of statements)
        expect([sql.slice(0, 80), checked(dialect, sql)]).toMatchObject([sql.slice(0, 80), { ok: false }]);
  });
}

test('the SQL that runs has every name and text in quotes, and no comment', () => {
  expect(
    checked('postgres', "SELECT Lower(City) /* x */ AS into FROM Stores s WHERE city <> 'it''s' -- end"),
  ).toMatchObject({
    ok: true,
    tables: ['stores'],
    text: `SELECT pg_catalog.lower( "city" ) AS "into" FROM "postgres"."public"."stores" AS "s" WHERE "city" <> 'it''s'`,
  });
  expect(checked('mysql', `SELECT "it's \\\\ \\"", 'a\\_b' FROM Stores # end`)).toMatchObject({
    ok: true,
    text: `SELECT 'it''s \\\\ "' , 'a\\\\_b' FROM \`shop\`.\`stores\` AS \`Stores\``,
  });
  expect(checked('mssql', 'SELECT TOP 5 [city] c FROM dbo.stores ORDER BY c')).toMatchObject({
    ok: true,
    text: 'SELECT TOP 5 [city] AS [c] FROM [shop].[dbo].[stores] ORDER BY [c]',
  });
});

test('the limit of the whole statement is read, and applied by the driver', () => {
  expect(checked('postgres', 'SELECT 1 LIMIT 1000000 OFFSET 3;')).toMatchObject({
    limit: { count: 1_000_000, offset: 3 },
  });
  expect(checked('mysql', 'SELECT 1 LIMIT 5, 10')).toMatchObject({ limit: { count: 10, offset: 5 } });
  expect(checked('postgres', 'SELECT 1 FETCH FIRST 7 ROWS ONLY')).toMatchObject({
    limit: { count: 7, offset: 0 },
  });
  for (const none of ['ALL', 'NULL'])
    expect(checked('postgres', `SELECT 1 LIMIT ${none} OFFSET 2`)).toMatchObject({
      limit: { count: Number.MAX_SAFE_INTEGER, offset: 2 },
    });
  expect(checked('postgres', 'SELECT 1 LIMIT (SELECT 5)')).toMatchObject({
    ok: false,
    rule: 'unknown_syntax',
  });
});

test('a statement of the maximum length is checked quickly', () => {
  const started = performance.now();
  checked('postgres', `SELECT ${'1+'.repeat(9_990)}1`);
  checked('postgres', `SELECT ${'(('.repeat(4_990)}`);
  checked('mysql', `SELECT ${'/**/'.repeat(4_990)}`);
  expect(performance.now() - started).toBeLessThan(5_000);
});
