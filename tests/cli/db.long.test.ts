/** `skein db` as a process: sample data, imports, and errors. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckDb } from '../../tools/sql/duckdb/open.ts';
import { spawnCommand } from '../support/process.ts';
import { rowsOf } from '../tools/sql/rows-of.ts';
import { spawnWriter } from './database-writer.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-db-'));
let folders = 0;
let folder = root;
beforeEach(() => {
  folder = join(root, String(folders++));
  mkdirSync(folder);
});
afterAll(() => rmSync(root, { recursive: true }));

const database = () => join(folder, '.tmp', 'sample.duckdb');
/** The backups of replaced databases. */
const copies = () => readdirSync(join(folder, '.tmp')).filter((name) => name.includes('.bak'));
const put = (name: string, text: string) => Bun.write(join(folder, name), text);

async function db(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawnCommand(['db', ...args], folder);
  await Promise.all([Array.fromAsync(child.lines), child.errors]);
  return { code: await child.exited, output: child.output() };
}

/** A sample database from `skein db seed`. It is created once and copied, because that takes two processes. */
let sample: string | undefined;
async function seeded(): Promise<void> {
  if (sample === undefined) {
    expect((await db('seed')).code).toBe(0);
    sample = join(root, 'sample.duckdb');
    copyFileSync(database(), sample);
  } else {
    mkdirSync(join(folder, '.tmp'));
    copyFileSync(sample, database());
  }
}

describe('seed', () => {
  test('creates the sample data at the configured path, and names its tables', async () => {
    const { code, output } = await db('seed');
    expect(code).toBe(0);
    expect(output).toContain('.tmp/sample.duckdb now holds the sample data');
    expect(output).toContain('stores (12 rows)\n  store_id  INTEGER\n  name      VARCHAR\n');
    expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb']);
  });

  test('replaces an existing database only with --force', async () => {
    await put('own.csv', 'a\n1\n');
    expect((await db('import', 'own.csv')).code).toBe(0);
    const refused = await db('seed');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('already exists; skein db seed --force replaces it');
    const replaced = await db('seed', '--force');
    expect(replaced.code).toBe(0);
    const copy = copies()[0] ?? '';
    expect(replaced.output).toStartWith(`The previous database is kept as ${join(folder, '.tmp', copy)}\n`);
    expect(await rowsOf(join(folder, '.tmp', copy), 'SELECT a::INT FROM own')).toEqual([[1]]);
    expect(await rowsOf(database(), 'SELECT table_name FROM duckdb_tables() ORDER BY 1')).toEqual([
      ['products'],
      ['reviews'],
      ['sales'],
      ['stock'],
      ['stores'],
    ]);
  });

  test('with --force keeps changes that are still in the WAL of the replaced database', async () => {
    await seeded();
    await (await spawnWriter(database(), ['CREATE TABLE late AS SELECT 5 AS x'])).kill();
    expect(existsSync(`${database()}.wal`)).toBe(true);
    expect((await db('seed', '--force')).code).toBe(0);
    const copy = copies().find((each) => each.endsWith('.bak')) ?? '';
    expect(await rowsOf(join(folder, '.tmp', copy), 'FROM late')).toEqual([[5]]);
    expect((await db('tables')).output).not.toContain('late');
  });

  test('with --force creates a missing database', async () => {
    const { code, output } = await db('seed', '--force');
    expect(code).toBe(0);
    expect(output).toStartWith(`${database()} now holds the sample data\n`);
    expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb']);
  });

  test('with --force replaces the sample data of an earlier version', async () => {
    await seeded();
    await (await spawnWriter(database(), ['DROP SCHEMA made_by_skein', 'CHECKPOINT'])).kill();
    expect((await db('seed', '--force')).code).toBe(0);
    expect(copies().length).toBe(1);
  });

  const FOREIGN: [string, string[]][] = [
    ['of its user', ['CREATE TABLE customers AS SELECT 1 AS id']],
    ['with no table', []],
    ['that holds the tables of the sample and more', ['CREATE VIEW mine AS SELECT * FROM stores']],
    ['whose tables have the names of the sample', ['ALTER TABLE reviews ADD COLUMN mine INT']],
  ];
  test.each(FOREIGN)('with --force does not change a database %s', async (_name, statements) => {
    const hasSample = statements.some((each) => /stores|reviews/.test(each));
    if (hasSample) await seeded();
    const unmark = hasSample ? ['DROP SCHEMA made_by_skein'] : [];
    await (await spawnWriter(database(), [...unmark, ...statements, 'CHECKPOINT'])).kill();
    const before = await Bun.file(database()).bytes();
    const { code, output } = await db('seed', '--force');
    expect(code).toBe(1);
    expect(output).toBe(
      `${database()}: Skein did not create this database and does not replace it. Move the file, or change local_sql_db.database_path.\n`,
    );
    expect(await Bun.file(database()).bytes()).toEqual(before);
    expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb']);
  });

  test('with --force does not change a database with an imported table', async () => {
    await (await spawnWriter(database(), ['CREATE TABLE customers AS SELECT 1 AS id', 'CHECKPOINT'])).kill();
    await put('own.csv', 'a\n1\n');
    expect((await db('import', 'own.csv')).code).toBe(0);
    expect((await db('seed', '--force')).output).toContain('Skein did not create this database');
  });

  test('with --force does not change any other file', async () => {
    const sqlite = new Database(join(folder, 'mail.db'));
    sqlite.run('CREATE TABLE mail (text)');
    sqlite.close();
    await put('thesis.txt', 'three years of work');
    for (const name of ['mail.db', 'thesis.txt']) {
      await put('config.yml', `local_sql_db:\n  database_path: ${name}\n`);
      const before = await Bun.file(join(folder, name)).bytes();
      const { code, output } = await db('seed', '--force');
      expect([name, code]).toEqual([name, 1]);
      expect(output).toMatch(/^\S+: .*not a (valid )?DuckDB database/);
      expect(await Bun.file(join(folder, name)).bytes()).toEqual(before);
      expect(
        readdirSync(folder)
          .filter((each) => /^(mail|thesis)/.test(each))
          .sort(),
      ).toEqual(['mail.db', 'thesis.txt']);
    }
  });

  test('with --force is rejected while another process writes the database', async () => {
    await seeded();
    const writer = await spawnWriter(database(), ['CREATE TABLE a AS SELECT 1 x']);
    const { code, output } = await db('seed', '--force');
    await writer.kill();
    expect([code, output]).toEqual([1, `${database()}: another process uses this file; stop it first\n`]);
  });

  test('does not list its marker among the tables', async () => {
    const { output } = await db('seed');
    expect(output).not.toContain('made_by_skein');
    const sql = openDuckDb({ path: database() });
    try {
      expect((await sql.tables()).map(({ name }) => name)).toEqual([
        'products',
        'reviews',
        'sales',
        'stock',
        'stores',
      ]);
    } finally {
      await sql.close();
    }
  });

  test('follows the settings', async () => {
    await put('config.yml', 'local_sql_db:\n  database_path: data/bikes.duckdb\n');
    expect((await db('seed')).code).toBe(0);
    expect(existsSync(join(folder, 'data', 'bikes.duckdb'))).toBe(true);
  });
});

describe('import', () => {
  test('creates a table from a CSV, a JSON and a Parquet file, named after the file', async () => {
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

  test('accepts names with quotes and brackets', async () => {
    await put(`it's [1]*.csv`, 'a\n1\n');
    expect((await db('import', `it's [1]*.csv`)).output).toContain('1 rows are now in table it_s_1');
  });

  test('replaces a table only with --replace', async () => {
    await put('t.csv', 'a\n1\n');
    await db('import', 't.csv');
    await put('t.csv', 'a\n1\n2\n');
    const refused = await db('import', 't.csv');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('table t already exists; replace it with --replace');
    expect((await db('import', 't.csv', '--replace')).output).toContain('2 rows are now in table t');
  });

  test('reports the position of an error in a file, and leaves no table', async () => {
    const rows = Array.from({ length: 30_000 }, (_, n) => `${n},"x"`).join('\n');
    await put('bad.csv', `a,b\n${rows}\n"1,2,3\n3,4\n`);
    const { code, output } = await db('import', 'bad.csv');
    expect(code).toBe(1);
    expect(output).toBe('bad.csv: Line: 30002; a quotation mark is opened and never closed\n');
    expect(existsSync(database())).toBe(false);
    await put('bad.json', '[{"a":1},{"a":2]');
    expect((await db('import', 'bad.json')).output).toContain('byte');
  });

  test('rejects unsupported files and names', async () => {
    await put('t.xlsx', 'a');
    await put('t.csv', 'a\n1\n');
    const kind = await db('import', 't.xlsx');
    expect(kind.code).toBe(2);
    expect(kind.output).toContain(
      'expected a file that ends in .csv, .tsv, .parquet, .json, .jsonl, .ndjson; all but Parquet may be compressed, as in .csv.gz',
    );
    const missing = await db('import', 'none.csv');
    expect(missing.code).toBe(1);
    expect(missing.output).toBe('none.csv: file does not exist\n');
    const name = await db('import', 't.csv', '--table', 'a; DROP TABLE b');
    expect(name.code).toBe(2);
    expect(name.output).toContain("in field '--table': expected a letter");
  });
});

describe('import into a database', () => {
  const CRASHED = [
    'CREATE TABLE a AS SELECT 1 x',
    'CHECKPOINT',
    'INSERT INTO a VALUES (5)',
    'ALTER TABLE a ADD COLUMN z INT',
  ];

  test('whose last writer crashed keeps the committed data', async () => {
    await (await spawnWriter(database(), CRASHED)).kill();
    expect(existsSync(`${database()}.wal`)).toBe(true);
    await put('t.csv', 'n\n1\n');
    expect((await db('import', 't.csv')).output).toContain('1 rows are now in table t');
    expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb']);
    const { code, output } = await db('tables');
    expect(code).toBe(0);
    expect(output).toBe('a (2 rows)\n  x  INTEGER\n  z  INTEGER\nt (1 rows)\n  n  BIGINT\n');
    expect(await rowsOf(database(), 'FROM a ORDER BY x')).toEqual([
      [1, null],
      [5, null],
    ]);
  });

  test('keeps its WAL if the import fails', async () => {
    await (await spawnWriter(database(), CRASHED)).kill();
    await put('bad.json', '[{"a":1},{"a":2]');
    expect((await db('import', 'bad.json')).code).toBe(1);
    expect(readdirSync(join(folder, '.tmp')).sort()).toEqual(['sample.duckdb', 'sample.duckdb.wal']);
    expect((await db('tables')).output).toContain('a (2 rows)\n');
  });

  test('is rejected while another process writes it', async () => {
    const writer = await spawnWriter(database(), CRASHED);
    await put('t.csv', 'n\n1\n');
    const { code, output } = await db('import', 't.csv');
    await writer.kill();
    expect([code, output]).toEqual([1, `${database()}: another process uses this file; stop it first\n`]);
  });

  test('never runs its views, and rejects their names', async () => {
    await put('gone.csv', 'a,b,c\n1,2,3\n');
    const broken = Array.from(
      { length: 8 },
      (_, n) => `CREATE VIEW v${n} AS SELECT * FROM read_csv('gone.csv')`,
    );
    const endless =
      'CREATE VIEW endless AS SELECT count(*) n FROM range(100000000000) a, range(100000000000) b';
    await (
      await spawnWriter(database(), [...broken, endless, 'CREATE TABLE a AS SELECT 1 x'], folder)
    ).kill();
    rmSync(join(folder, 'gone.csv'));
    await put('t.csv', 'n\n1\n');
    expect((await db('import', 't.csv')).output).toContain('1 rows are now in table t');
    const { code, output } = await db('tables');
    expect([code, output]).toEqual([0, 'a (1 rows)\n  x  INTEGER\nt (1 rows)\n  n  BIGINT\n']);
    for (const replace of [[], ['--replace']]) {
      const refused = await db('import', 't.csv', '--table', 'V3', ...replace);
      expect(refused.code).toBe(1);
      expect(refused.output).toContain('v3 is a view, and --replace replaces only tables');
    }
  });

  test('and sample data follow a link, and keep the link', async () => {
    mkdirSync(join(folder, '.tmp'));
    mkdirSync(join(folder, 'disk'));
    symlinkSync('../disk/real.duckdb', database());
    await put('t.csv', 'n\n1\n');
    for (const args of [
      ['import', 't.csv'],
      ['seed', '--force'],
      ['import', 't.csv'],
    ]) {
      expect([args, (await db(...args)).code]).toEqual([args, 0]);
      expect(lstatSync(database()).isSymbolicLink()).toBe(true);
      expect(readdirSync(join(folder, 'disk')).filter((name) => !name.endsWith('.bak'))).toEqual([
        'real.duckdb',
      ]);
    }
    expect(readdirSync(join(folder, 'disk')).length).toBe(2);
    expect((await db('tables')).output).toContain('t (1 rows)\n');
  });

  test('finds the WAL of a writer that used a link', async () => {
    mkdirSync(join(folder, '.tmp'));
    await (await spawnWriter(join(folder, 'real.duckdb'), [])).kill();
    symlinkSync('../real.duckdb', database());
    await (await spawnWriter(database(), CRASHED)).kill();
    await put('t.csv', 'n\n1\n');
    expect((await db('import', 't.csv')).code).toBe(0);
    expect(readdirSync(folder).filter((each) => each.startsWith('real'))).toEqual(['real.duckdb']);
    expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb']);
    expect((await db('tables')).output).toContain('a (2 rows)\n');
  });

  test('is rejected if only its WAL exists', async () => {
    await put('.tmp/sample.duckdb.wal', 'changes');
    await put('t.csv', 'n\n1\n');
    const { code, output } = await db('import', 't.csv');
    expect([code, output]).toEqual([1, `${database()}.wal: its database file is missing\n`]);
    expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb.wal']);
  });
});

describe('a path at which no database can be created', () => {
  const ALL = [['seed'], ['seed', '--force'], ['import', 't.csv']];
  async function refusals(path: string): Promise<string[]> {
    await put('config.yml', `local_sql_db:\n  database_path: ${path}\n`);
    await put('t.csv', 'n\n1\n');
    const messages: string[] = [];
    for (const args of ALL) {
      const { code, output } = await db(...args);
      expect([args, code, output.split('\n').length]).toEqual([args, 1, 2]);
      messages.push(output);
    }
    return messages;
  }

  test('is a folder', async () => {
    mkdirSync(join(folder, 'here'));
    for (const message of await refusals('here'))
      expect(message).toBe(`${folder}/here: expected a file, found a folder\n`);
    expect((await db('tables')).output).toBe(`${folder}/here: expected a file, found a folder\n`);
  });

  test('is below a file', async () => {
    await put('plain', 'text');
    for (const path of ['plain/x.duckdb', 'plain/below/x.duckdb'])
      for (const reason of await refusals(path))
        expect(reason).toBe(`${folder}/${path}: one of its folders is a file\n`);
  });

  test.skipIf(process.platform !== 'linux')('is in a folder that no user can write', async () => {
    // Not even root can write there.
    for (const message of await refusals('/sys/x.duckdb'))
      expect(message).toMatch(/^\/sys\/x\.duckdb: .*permi/i);
  });

  test.skipIf(process.getuid?.() === 0)('is in a folder that its owner made read-only', async () => {
    mkdirSync(join(folder, 'shut'));
    chmodSync(join(folder, 'shut'), 0o555);
    for (const message of await refusals('shut/x.duckdb'))
      expect(message).toMatch(/\/shut\/x\.duckdb: .*permi/i);
  });
});

describe('tables', () => {
  test('says what to do if there is no database', async () => {
    const { code, output } = await db('tables');
    expect(code).toBe(1);
    expect(output).toContain('file does not exist; "skein db seed" creates it');
  });

  test("reports a file that isn't a database", async () => {
    await put('.tmp/sample.duckdb', 'not a database, but some text that is long enough to be looked at');
    const { code, output } = await db('tables');
    expect(code).toBe(1);
    expect(output).toContain('not a valid DuckDB database file');
  });

  test("recognizes a lock only by DuckDB's message", async () => {
    await put('config.yml', 'local_sql_db:\n  database_path: blocks/could not set lock.duckdb\n');
    await put(
      'blocks/could not set lock.duckdb',
      'not a database, but some text that is long enough for one',
    );
    await put('t.csv', 'n\n1\n');
    for (const args of [['tables'], ['import', 't.csv']]) {
      const { code, output } = await db(...args);
      expect([args, code]).toEqual([args, 1]);
      expect(output).toContain('not a valid DuckDB database file');
      expect(output).not.toContain('another process');
    }
  });

  test('escapes control sequences in names', async () => {
    const hostile = '\u001b[2J\u009b\u202ex\r\n';
    const statement = `CREATE TABLE "${hostile}" ("${hostile}" STRUCT("${hostile}" INT))`;
    await (await spawnWriter(database(), [statement])).kill();
    const { code, output } = await db('tables');
    expect(code).toBe(0);
    const shown = '\\u{1b}[2J\\u{9b}\\u{202e}x\\u{d}\\u{a}';
    expect(output).toBe(`${shown} (0 rows)\n  ${shown}  STRUCT("${shown}" INTEGER)\n`);
  });
});

test('an invalid command line is rejected with the expected usage', async () => {
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

describe('drop', () => {
  test('drops a table, whatever its name is, and keeps the others', async () => {
    for (const name of ['semi', 'other']) {
      await put(`${name}.csv`, 'a\n1\n');
      expect((await db('import', `${name}.csv`)).code).toBe(0);
    }
    const dropped = await db('drop', 'SEMI');
    expect([dropped.code, dropped.output]).toEqual([0, `table semi is dropped from ${database()}\n`]);
    expect((await db('tables')).output).toBe('other (1 rows)\n  a  BIGINT\n');
    expect(readdirSync(join(folder, '.tmp'))).toEqual(['sample.duckdb']);
  });

  test("rejects names that aren't tables, and lists the tables", async () => {
    await (
      await spawnWriter(database(), [
        'CREATE TABLE a AS SELECT 1 x',
        'CREATE VIEW v AS SELECT 1 y',
        'CHECKPOINT',
      ])
    ).kill();
    for (const name of ['none', 'v', 'a; DROP TABLE a']) {
      const { code, output } = await db('drop', name);
      expect([code, output]).toEqual([1, `${database()}: table ${name} does not exist; the tables are a\n`]);
    }
    expect((await db('drop')).code).toBe(2);
  });
});

describe('query', () => {
  test('shows rows, and reports truncation', async () => {
    await seeded();
    const { code, output } = await db(
      'query',
      "SELECT name, NULL AS n, 'a\u001b[2Jb' AS t FROM stores ORDER BY name LIMIT 2",
    );
    expect(code).toBe(0);
    expect(output).toMatch(/^name +n +t\n.+ +NULL +a\\u\{1b\}\[2Jb\n.+\n\(2 rows\)\n$/);
    const cut = await db('query', 'SELECT * FROM sales');
    expect(cut.output).toContain('(the first 200 rows, there are more)');
    expect(cut.output).toContain('Cut off at 200 rows (max_rows).');
  });

  test('writes all rows as CSV, within the row limit of the settings', async () => {
    await seeded();
    const { code, output } = await db('query', 'SELECT sale_id, NULL AS n FROM sales ORDER BY 1', '--csv');
    expect(code).toBe(0);
    expect(output).toStartWith('sale_id,n\n1,\n2,\n');
    const [[rows] = []] = await rowsOf(database(), 'SELECT count(*)::INT FROM sales');
    expect(output.trimEnd().split('\n').length).toBe(Number(rows) + 1);
    await put('config.yml', 'workflows: {sql-manipulation-agent: {download_rows: 3}}');
    const few = await db('query', 'SELECT sale_id FROM sales ORDER BY 1', '--csv');
    expect(few.output).toBe('sale_id\n1\n2\n3\nCut off at 3 rows (download_rows).\n');
  });

  test('is checked by the guard', async () => {
    await seeded();
    for (const flags of [[], ['--csv']]) {
      const refused = await db('query', 'DROP TABLE stores', ...flags);
      expect([refused.code, refused.output]).toEqual([1, 'select_only: Only one SELECT is allowed\n']);
      const file = await db('query', "SELECT * FROM read_text('/etc/passwd')", ...flags);
      expect([file.code, file.output]).toEqual([1, expect.stringContaining('table_function_not_allowed')]);
    }
  });
});
