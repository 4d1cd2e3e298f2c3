/** `skein db` in processes of its own: sample data, imports, and what is refused. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rowsOf } from '../graphs/tools/sql/rows-of.ts';
import { spawnCommand } from '../support/process.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-db-'));
let folders = 0;
let folder = root;
beforeEach(() => {
  folder = join(root, String(folders++));
  mkdirSync(folder);
});
afterAll(() => rmSync(root, { recursive: true }));

const database = () => join(folder, '.tmp', 'sample.duckdb');
const put = (name: string, text: string) => Bun.write(join(folder, name), text);

async function db(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawnCommand(['db', ...args], folder);
  await Promise.all([Array.fromAsync(child.lines), child.errors]);
  return { code: await child.exited, output: child.output() };
}

describe('seed', () => {
  test('makes the sample data at the configured place, and names its tables', async () => {
    const { code, output } = await db('seed');
    expect(code).toBe(0);
    expect(output).toContain('.tmp/sample.duckdb now holds the sample data');
    expect(output).toContain('stores (12 rows)\n  store_id  INTEGER\n  name      VARCHAR\n');
    expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb']);
  });

  test('replaces what is there only with --force', async () => {
    await put('own.csv', 'a\n1\n');
    expect((await db('import', 'own.csv')).code).toBe(0);
    const refused = await db('seed');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('is there already; skein db seed --force replaces it');
    expect((await db('seed', '--force')).code).toBe(0);
    expect(await rowsOf(database(), 'SELECT table_name FROM duckdb_tables() ORDER BY 1')).toEqual([
      ['products'],
      ['reviews'],
      ['sales'],
      ['stock'],
      ['stores'],
    ]);
  });

  test('follows the settings', async () => {
    await put('config.yml', 'local_sql_db:\n  database_path: data/bikes.duckdb\n');
    expect((await db('seed')).code).toBe(0);
    expect(existsSync(join(folder, 'data', 'bikes.duckdb'))).toBe(true);
  });
});

describe('import', () => {
  test('makes a table of a CSV, a JSON and a Parquet file, called after it', async () => {
    await put('My Bikes (2024).csv', 'brand,price\nVelora,100.5\nCitro,\n');
    await put('shops.jsonl', '{"name":"A","tags":["x"]}\n{"name":"B","tags":[]}\n');
    expect((await db('import', 'My Bikes (2024).csv')).output).toContain(
      '2 rows are now in table my_bikes_2024',
    );
    expect((await db('import', 'shops.jsonl', '--table', 'Shops')).code).toBe(0);
    await rowsOf(database(), `COPY (SELECT 7 AS n) TO '${join(folder, 'n.parquet')}'`);
    expect((await db('import', 'n.parquet')).code).toBe(0);
    expect(await rowsOf(database(), 'SELECT brand, price FROM my_bikes_2024 ORDER BY 1')).toEqual([
      ['Citro', null],
      ['Velora', 100.5],
    ]);
    expect(await rowsOf(database(), 'SELECT name, tags FROM "Shops"')).toEqual([
      ['A', ['x']],
      ['B', []],
    ]);
    expect((await db('tables')).output).toContain('n (1 rows)\n  n  INTEGER\n');
  });

  test('takes names with quotes and brackets as they are', async () => {
    await put(`it's [1]*.csv`, 'a\n1\n');
    expect((await db('import', `it's [1]*.csv`)).output).toContain('1 rows are now in table it_s_1');
  });

  test('replaces a table only with --replace', async () => {
    await put('t.csv', 'a\n1\n');
    await db('import', 't.csv');
    await put('t.csv', 'a\n1\n2\n');
    const refused = await db('import', 't.csv');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('there is a table t already; --replace replaces it');
    expect((await db('import', 't.csv', '--replace')).output).toContain('2 rows are now in table t');
  });

  test('says where a file is wrong, and leaves nothing of it', async () => {
    const rows = Array.from({ length: 30_000 }, (_, n) => `${n},x`).join('\n');
    await put('bad.csv', `a,b\n${rows}\n"1,2,3`);
    const { code, output } = await db('import', 'bad.csv');
    expect(code).toBe(1);
    expect(output).toStartWith('bad.csv: ');
    expect(output).toContain('Line: 30002');
    expect(existsSync(database())).toBe(false);
    await put('bad.json', '[{"a":1},{"a":2]');
    expect((await db('import', 'bad.json')).output).toContain('byte');
  });

  test('refuses files and names that it cannot take', async () => {
    await put('t.xlsx', 'a');
    await put('t.csv', 'a\n1\n');
    const kind = await db('import', 't.xlsx');
    expect(kind.code).toBe(2);
    expect(kind.output).toContain(
      'expected a file that ends in .csv, .tsv, .parquet, .json, .jsonl, .ndjson',
    );
    const missing = await db('import', 'none.csv');
    expect(missing.code).toBe(1);
    expect(missing.output).toBe('none.csv: there is no such file\n');
    const name = await db('import', 't.csv', '--table', 'a; DROP TABLE b');
    expect(name.code).toBe(2);
    expect(name.output).toContain("in field '--table': expected a letter");
  });
});

describe('tables', () => {
  test('says what to do where there is no database', async () => {
    const { code, output } = await db('tables');
    expect(code).toBe(1);
    expect(output).toContain('there is no such file; skein db seed makes it');
  });

  test('says so where a file is no database', async () => {
    await put('.tmp/sample.duckdb', 'not a database, but some text that is long enough to be looked at');
    const { code, output } = await db('tables');
    expect(code).toBe(1);
    expect(output).toContain('not a valid DuckDB database file');
  });
});

test('a wrong command line is refused with what is expected', async () => {
  for (const args of [
    [],
    ['drop'],
    ['import'],
    ['tables', 'x'],
    ['seed', '--forc'],
    ['import', 'a.csv', '--table'],
  ]) {
    const { code, output } = await db(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(output).toStartWith('Validation error in field ');
  }
});
