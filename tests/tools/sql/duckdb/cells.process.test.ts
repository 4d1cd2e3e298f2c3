/** How DuckDB's types become JSON. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { openDuckDb } from '../../../../tools/sql/duckdb/open.ts';
import { readRows } from '../../../../tools/sql/duckdb/tables/rows.ts';
import type { SqlCell, SqlEngine } from '../../../../tools/sql/engine.ts';
import { type Database, makeDatabase } from '../database.ts';

let database: Database;
let engine: SqlEngine;

beforeAll(async () => {
  database = await makeDatabase(['CREATE TABLE t AS SELECT 1 AS n']);
  engine = openDuckDb({ path: database.path, processes: 1 });
});

afterAll(async () => {
  await engine.close();
  database.remove();
});

const CELLS: [sql: string, type: string, cell: SqlCell][] = [
  ['NULL', 'INTEGER', null],
  ['true', 'BOOLEAN', true],
  ['-7::TINYINT', 'TINYINT', -7],
  ['9007199254740991::BIGINT', 'BIGINT', 9007199254740991],
  ['9007199254740993::BIGINT', 'BIGINT', '9007199254740993'],
  [
    "'-170141183460469231731687303715884105728'::HUGEINT",
    'HUGEINT',
    '-170141183460469231731687303715884105728',
  ],
  ['sum(5::INTEGER)', 'HUGEINT', 5],
  ['count(*)', 'BIGINT', 1],
  ['0.1::FLOAT', 'FLOAT', 0.1],
  ['0.1::DOUBLE', 'DOUBLE', 0.1],
  ["'nan'::DOUBLE", 'DOUBLE', 'NaN'],
  ["'inf'::DOUBLE", 'DOUBLE', 'Infinity'],
  ["'-inf'::FLOAT", 'FLOAT', '-Infinity'],
  ['1234.50::DECIMAL(10, 2)', 'DECIMAL(10,2)', 1234.5],
  ['0.30::DECIMAL(4, 2)', 'DECIMAL(4,2)', 0.3],
  ['123456789012345.678::DECIMAL(20, 3)', 'DECIMAL(20,3)', '123456789012345.678'],
  ["'text'", 'VARCHAR', 'text'],
  ["'a' || chr(0) || 'b'", 'VARCHAR', 'a\0b'],
  ["'\\xAA\\x00\\xFF'::BLOB", 'BLOB', '\\xaa00ff'],
  ["'10101'::BIT", 'BIT', '10101'],
  ["DATE '2024-02-29'", 'DATE', '2024-02-29'],
  ["'infinity'::DATE", 'DATE', 'infinity'],
  ["DATE '0044-03-15 (BC)'", 'DATE', '0044-03-15 (BC)'],
  ["TIME '10:11:12.5'", 'TIME', '10:11:12.5'],
  ["TIMESTAMP '2024-01-01 10:00:00'", 'TIMESTAMP', '2024-01-01T10:00:00'],
  ["TIMESTAMP '2024-01-01 10:00:00.25'", 'TIMESTAMP', '2024-01-01T10:00:00.25'],
  ["'2024-01-01 10:00:00'::TIMESTAMP_S", 'TIMESTAMP_S', '2024-01-01T10:00:00'],
  ["'2024-01-01 10:00:00.5'::TIMESTAMP_MS", 'TIMESTAMP_MS', '2024-01-01T10:00:00.5'],
  ["'2024-01-01 10:00:00.123456789'::TIMESTAMP_NS", 'TIMESTAMP_NS', '2024-01-01T10:00:00.123456789'],
  ["'2024-01-01 10:00:00+02'::TIMESTAMPTZ", 'TIMESTAMP WITH TIME ZONE', '2024-01-01T08:00:00Z'],
  ["'infinity'::TIMESTAMPTZ", 'TIMESTAMP WITH TIME ZONE', 'infinity'],
  ["'10:00:00+02'::TIMETZ", 'TIME WITH TIME ZONE', '10:00:00+02'],
  ['INTERVAL 14 MONTH + INTERVAL 3 HOUR', 'INTERVAL', '1 year 2 months 03:00:00'],
  ["'4ac7a9e9-607c-4c8a-84f3-843f0191e3fd'::UUID", 'UUID', '4ac7a9e9-607c-4c8a-84f3-843f0191e3fd'],
  ["'b'::ENUM('a', 'b')", "ENUM('a', 'b')", 'b'],
  ['[1, NULL, 3]', 'INTEGER[]', [1, null, 3]],
  ['[1, 2]::INTEGER[2]', 'INTEGER[2]', [1, 2]],
  ['[[1.5]]', 'DECIMAL(2,1)[][]', [[1.5]]],
  ["{'a': 1, 'b': [DATE '2024-01-01']}", 'STRUCT("a" INTEGER, "b" DATE[])', { a: 1, b: ['2024-01-01'] }],
  ["map {'k': 1, '__proto__': 2}", 'MAP(VARCHAR, INTEGER)', JSON.parse('{"k": 1, "__proto__": 2}')],
  ['map {1: true}', 'MAP(INTEGER, BOOLEAN)', { 1: true }],
  ["map {{'x': 1}: 2}", 'MAP(STRUCT("x" INTEGER), INTEGER)', { '{"x":1}': 2 }],
  ['1::UNION(n INTEGER, s VARCHAR)', 'UNION("n" INTEGER, "s" VARCHAR)', 1],
  ['\'{"a": 1}\'::JSON', 'VARCHAR', '{"a": 1}'],
  // The client keeps one field of a row without names.
  ['(1, 2)', 'STRUCT("" INTEGER, "" INTEGER)', '…'],
];

test.each(CELLS)('%s', async (sql, type, cell) => {
  const { columns, rows } = await engine.query(`SELECT ${sql} AS x`);
  expect(columns).toEqual([{ name: 'x', type }]);
  expect(rows).toEqual([{ x: cell }]);
});

test('every type that DuckDB has becomes JSON', async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const { columns, rows } = await readRows(await connection.prepare('FROM test_all_types()'), 200);
  expect(columns.length).toBeGreaterThan(50);
  expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
  expect(Object.values(rows[2] ?? {}).every((cell) => cell === null)).toBe(true);
  connection.closeSync();
  instance.closeSync();
});

test('a long text, a long list and a large blob are truncated, and marked', async () => {
  const { rows, truncated, cuts } = await engine.query(
    "SELECT repeat(repeat('x', 1000), 100) AS t, range(100000) AS l, repeat(repeat('x', 1000), 100)::BLOB AS b, " +
      "map_from_entries([(i, i) FOR i IN range(10000)]) AS m, repeat('abc😀', 1000) AS e",
  );
  expect([truncated, cuts]).toEqual([false, [{ limit: 'cells', at: 4_000 }]]);
  for (const cell of Object.values(rows[0] ?? {})) {
    expect(JSON.stringify(cell).length).toBeLessThan(9_000);
    expect(JSON.stringify(cell)).toContain('…');
    expect(JSON.stringify(cell).isWellFormed()).toBe(true);
  }
});

test('columns with the same name get different names', async () => {
  const { columns, rows } = await engine.query('SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a, 5 AS "A"');
  expect(columns.map(({ name }) => name)).toEqual(['a', 'a_3', 'a_2', 'a_4', 'A']);
  expect(rows).toEqual([{ a: 1, a_3: 2, a_2: 3, a_4: 4, A: 5 }]);
});

test('a result has a limited number of rows and bytes, and reports that there are more', async () => {
  expect(await engine.query('SELECT * FROM range(200)')).toMatchObject({
    ...{ rowCount: 200, truncated: false, cuts: [] },
  });
  expect(await engine.query('SELECT * FROM range(201)')).toMatchObject({
    ...{ rowCount: 200, truncated: true, cuts: [{ limit: 'rows', at: 200 }] },
  });
  expect(await engine.query('SELECT * FROM t WHERE false')).toMatchObject({
    rowCount: 0,
    rows: [],
    truncated: false,
  });
  const wide = await engine.query(
    `SELECT ${Array.from({ length: 20 }, (_, n) => `repeat('x', 1000 - ${n}) AS c${n}`).join(', ')} FROM range(150)`.replace(
      /1000 - (\d+)/g,
      '999',
    ),
  );
  expect(wide).toMatchObject({ truncated: true, cuts: [{ limit: 'bytes', at: 1_000_000 }] });
  expect(wide.rowCount).toBeWithin(40, 60);
  expect(JSON.stringify(wide.rows).length).toBeLessThan(1_050_000);
});
