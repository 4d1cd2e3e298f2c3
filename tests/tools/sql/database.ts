/** A small DuckDB file with everything that the guard must distinguish: tables, a view, macros, a type and another schema. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const TABLES = [
  `CREATE TABLE customers AS SELECT range::INTEGER AS id, 'Customer ' || range AS name,
     ['Bern', 'Basel', 'Zug'][1 + range % 3] AS city, {'street': 'Road ' || range, 'zip': range::INTEGER} AS address,
     ['a', 'b', 'c'][1 : 1 + range % 3] AS tags FROM range(20)`,
  `CREATE TABLE orders AS SELECT range::INTEGER AS id, (range % 20)::INTEGER AS customer_id,
     DATE '2023-01-01' + range::INTEGER AS ordered_on, TIMESTAMP '2023-01-01 08:00:00' + INTERVAL (range) HOUR AS placed_at,
     (range * 1.25)::DECIMAL(10, 2) AS amount, (range % 7)::INTEGER AS quantity, 1 AS same,
     '{"channel": "web", "n": ' || range || '}' AS note FROM range(1000)`,
  'CREATE TABLE "odd ""name" AS SELECT 1 AS "a column"',
];

const OTHERS = [
  'CREATE VIEW order_view AS SELECT * FROM orders',
  'CREATE MACRO leak(x) AS current_setting(x)',
  'CREATE MACRO soundex(x) AS upper(x)',
  'CREATE MACRO lower(x) AS current_setting(x)',
  'CREATE MACRO everything() AS TABLE SELECT * FROM duckdb_settings()',
  `CREATE MACRO json_serialize_sql(x) AS '{"error": false, "statements": [{}]}'`,
  "CREATE MACRO current_database() AS 'other'",
  'CREATE MACRO duckdb_functions() AS TABLE SELECT 1 AS function_name, true AS internal',
  'CREATE MACRO duckdb_tables() AS TABLE SELECT 1 AS table_name',
  'CREATE SEQUENCE numbers',
  'CREATE SCHEMA private',
  "CREATE TABLE private.secrets AS SELECT 'hidden' AS secret",
];

export interface Database {
  folder: string;
  path: string;
  remove(): void;
}

export async function makeDatabase(statements: string[] = [...TABLES, ...OTHERS]): Promise<Database> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skein-test-sql-')));
  const path = join(folder, 'data', 'sample.duckdb');
  await writeDatabase(path, statements);
  return { folder, path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function writeDatabase(path: string, statements: string[] = TABLES): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}
