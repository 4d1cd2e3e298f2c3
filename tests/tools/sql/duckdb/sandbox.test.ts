/** The locked database alone, without the guard: no byte written, no file read, no setting changed. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSandbox, type Sandbox } from '../../../../tools/sql/duckdb/process/sandbox.ts';
import { type Database, makeDatabase } from '../database.ts';

let database: Database;
let sandbox: Sandbox;

beforeAll(async () => {
  database = await makeDatabase();
  writeFileSync(join(database.folder, 'secret.csv'), 'a,b\n1,top secret\n');
  sandbox = await openSandbox({ path: database.path });
});

afterAll(() => {
  sandbox.close();
  database.remove();
});

const HOSTILE = [
  "COPY orders TO '$FOLDER/stolen.csv'",
  "COPY orders TO '$DB.wal'",
  "COPY (SELECT 1) TO '$DB'",
  "COPY (SELECT 1) TO '/dev/stdout'",
  "EXPORT DATABASE '$FOLDER/dump'",
  "IMPORT DATABASE '$FOLDER/dump'",
  "ATTACH '$FOLDER/new.duckdb'",
  "ATTACH '$DB' AS again",
  "ATTACH '$DB' AS again (READ_ONLY)",
  "SELECT * FROM read_csv('$FOLDER/secret.csv')",
  "SELECT * FROM '$FOLDER/secret.csv'",
  "SELECT * FROM read_text('/etc/hostname')",
  "SELECT * FROM read_blob('$DB')",
  "SELECT * FROM read_text('/proc/self/environ')",
  "SELECT * FROM read_csv('/dev/stdin')",
  "SELECT * FROM parquet_metadata('$FOLDER/secret.csv')",
  "SELECT * FROM sniff_csv('$FOLDER/secret.csv')",
  "SELECT * FROM glob('$FOLDER/*')",
  "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
  "SELECT * FROM query('SELECT * FROM read_text(''/etc/hostname'')')",
  "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM read_text(''/etc/hostname'')'))",
  'INSTALL httpfs',
  "INSTALL spatial FROM 'http://127.0.0.1:9/'",
  'LOAD httpfs',
  "LOAD '$FOLDER/evil.duckdb_extension'",
  'SET enable_external_access = true',
  "SET disabled_filesystems = ''",
  'SET lock_configuration = false',
  'RESET lock_configuration',
  "SET memory_limit = '100GB'",
  "SET temp_directory = '$FOLDER'",
  "SET home_directory = '$FOLDER'",
  "SET extension_directory = '$FOLDER'",
  "SET log_query_path = '$FOLDER/log'",
  "PRAGMA enable_profiling = 'json'",
  "PRAGMA profile_output = '$FOLDER/profile.json'",
  'CREATE PERSISTENT SECRET s (TYPE s3)',
  'DROP TABLE orders',
  'DELETE FROM orders',
  'UPDATE orders SET quantity = 0',
  'INSERT INTO customers (id) VALUES (1)',
  'CREATE TABLE more AS SELECT 1',
  "SELECT nextval('numbers')",
];

test.each(HOSTILE)('%s', async (statement) => {
  const before = state();
  const run = sandbox.connection.runAndReadAll(
    statement.replaceAll('$DB', database.path).replaceAll('$FOLDER', database.folder),
  );
  await expect(run).rejects.toThrow(Error);
  expect(state()).toEqual(before);
});

test('a statement that runs in memory leaves no file either', async () => {
  const before = state();
  await sandbox.connection
    .run('CREATE TEMP TABLE big AS SELECT range AS n FROM range(1000000)')
    .catch(() => {});
  await sandbox.connection.run('FORCE CHECKPOINT');
  expect(state()).toEqual(before);
});

test('the locked database can read its tables', async () => {
  const reader = await sandbox.connection.runAndReadAll('SELECT count(*) FROM orders');
  expect(reader.getRows()).toEqual([[1000n]]);
});

function state() {
  return {
    hash: Bun.hash(readFileSync(database.path)),
    files: readdirSync(database.folder, { recursive: true }).sort(),
    written: ['.wal', '.tmp'].filter((ending) => existsSync(database.path + ending)),
    here: readdirSync(process.cwd()).sort(),
  };
}
