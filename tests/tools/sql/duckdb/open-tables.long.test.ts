/** Tables that a workflow provides: their content, their isolation, and no access to anything else. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenTables, openTablesPool } from '../../../../tools/sql/duckdb/open-tables.ts';
import { SqlError } from '../../../../tools/sql/engine.ts';
import type { TableData } from '../../../../tools/sql/table-data.ts';
import { until } from '../../../server/support/until.ts';
import { withTemporaryFolder } from '../../../support/temporary-folder.ts';
import { REFUSED } from '../hostile-statements.ts';
import { childrenOf } from '../processes.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

const LIMITS = { maxRows: 200, querySeconds: 20 };

let pool = openTablesPool();
afterEach(async () => {
  await pool.close();
  pool = openTablesPool();
});
const open: OpenTables = (tables, limits) => pool.open(tables, limits);

const SALES: TableData = {
  name: 'sales',
  columns: [
    { name: 'code', type: 'VARCHAR' },
    { name: 'units', type: 'BIGINT' },
    { name: 'sold_on', type: 'DATE' },
    { name: 'price', type: 'DOUBLE' },
    { name: 'paid', type: 'BOOLEAN' },
  ],
  rows: [
    ['A', 3, '2024-02-29', 10.5, true],
    ['B', Number.MAX_SAFE_INTEGER, '0001-01-01', 5e-324, false],
    [null, null, null, null, null],
  ],
};

test('they can be queried with SQL, and have the given types', async () => {
  const sql = open(() => [SALES], LIMITS);
  const [table] = await sql.tables();
  expect(table).toMatchObject({ name: 'sales', rows: 3 });
  expect(table?.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    ...['code VARCHAR', 'units BIGINT', 'sold_on DATE', 'price DOUBLE', 'paid BOOLEAN'],
  ]);
  const { rows } = await sql.query('SELECT * FROM sales ORDER BY code NULLS LAST');
  expect(rows).toEqual([
    { code: 'A', units: 3, sold_on: '2024-02-29', price: 10.5, paid: true },
    { code: 'B', units: Number.MAX_SAFE_INTEGER, sold_on: '0001-01-01', price: 5e-324, paid: false },
    { code: null, units: null, sold_on: null, price: null, paid: null },
  ]);
});

test('names and texts are never executed', async () => {
  const name = 'x"; DROP TABLE sales; --';
  const text = `'"]]}\\ \u2028 {"lc":1} \0 \ud800 😀`;
  const tables = (): TableData[] => [{ name, columns: [{ name, type: 'VARCHAR' }], rows: [[text]] }];
  const sql = open(tables, LIMITS);
  const { rows } = await sql.query(`SELECT * FROM "${name.replaceAll('"', '""')}"`);
  expect(rows).toEqual([{ [name]: `'"]]}\\ \u2028 {"lc":1} \ufffd \ufffd 😀` }]);
});

test('twenty thousand rows with several columns are supported', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [`P-${index}`, index, null, null, null]);
  const sql = open(() => [{ ...SALES, rows }], LIMITS);
  expect((await sql.query('SELECT count(*) AS n, sum(units) AS s FROM sales')).rows).toEqual([
    { n: 20_000, s: 199_990_000 },
  ]);
});

test('tables without rows are tables; no tables are NO_TABLES_FOUND', async () => {
  expect(await open(() => [{ ...SALES, rows: [] }], LIMITS).tables()).toMatchObject([{ rows: 0 }]);
  expect(
    await open(() => [], LIMITS)
      .tables()
      .catch(({ code }) => code),
  ).toBe('NO_TABLES_FOUND');
});

const OWN_MACROS = /\b(?:lower|soundex)\(/;

test('anything except plain queries is rejected', async () => {
  const sql = open(() => [{ ...SALES, name: 'orders' }], LIMITS);
  // The others depend on definitions in the database of those tests.
  const { function_not_allowed = [], ...rules } = REFUSED;
  const statements = [
    ...Object.values(rules).flat(),
    ...function_not_allowed.filter((statement) => !OWN_MACROS.test(statement)),
  ];
  expect(statements.length).toBeGreaterThan(150);
  for (const statement of statements) {
    const failure = await sql.query(statement.replaceAll(/\$DB|\$FOLDER/g, '/tmp')).catch((error) => error);
    expect([statement.slice(0, 100), failure instanceof SqlError]).toEqual([statement.slice(0, 100), true]);
  }
  expect((await sql.query('SELECT count(*) AS n FROM orders')).rows).toEqual([{ n: 3 }]);
});

test('each caller sees only its own tables, even with many concurrent callers', async () => {
  const engines = Array.from({ length: 5 }, (_, index) =>
    open(() => [{ ...SALES, rows: [[`own ${index}`, index, null, null, null]] }], LIMITS),
  );
  const queries = engines.flatMap((sql, index) =>
    [1, 2].map(async () => [index, (await sql.query('SELECT code FROM sales')).rows] as const),
  );
  for (const [index, rows] of await Promise.all(queries)) expect(rows).toEqual([{ code: `own ${index}` }]);
  if (process.platform === 'linux') expect(childrenOf(process.pid).length).toBeLessThanOrEqual(4);
});

test('concurrent agents of one run share one process, and its tables are created once', async () => {
  let made = 0;
  const sql = open(() => {
    made++;
    return [SALES];
  }, LIMITS);
  const results = await Promise.all([
    sql.tables(),
    sql.tables(),
    sql.query('SELECT count(*) AS n FROM sales'),
  ]);
  expect([results[0][0]?.rows, results[1][0]?.rows, results[2].rows, made]).toEqual([3, 3, [{ n: 3 }], 1]);
  if (process.platform === 'linux') expect(childrenOf(process.pid).length).toBe(1);
});

test('tables that could not be created are created for the next query', async () => {
  let fails = true;
  const sql = open(() => {
    if (fails) throw new Error('not yet');
    return [SALES];
  }, LIMITS);
  expect(await sql.tables().catch(({ message }) => message)).toBe('not yet');
  fails = false;
  expect(await sql.tables()).toMatchObject([{ rows: 3 }]);
});

test('a process that another program ends while it gets its tables is replaced', async () => {
  const rows = Array.from({ length: 50_000 }, (_, index) => [`P-${index}`, index, null, null, null]);
  const sql = open(() => [{ ...SALES, rows }], LIMITS);
  const tables = sql.tables();
  if (process.platform === 'linux') {
    await until(() => childrenOf(process.pid).length > 0, 30_000);
    process.kill(Number(childrenOf(process.pid)[0]), 'SIGKILL');
  }
  expect(await tables).toMatchObject([{ rows: 50_000 }]);
});

test('if no process can be started, the error says so, and a later query starts one', async () => {
  const sql = open(() => [SALES], LIMITS);
  const failure = await withTemporaryFolder('/there/is/no/such/folder', () =>
    sql.tables().catch(({ code, detail }) => [code, detail]),
  );
  const detail = 'the process that reads the database did not start';
  expect(failure).toEqual(['DATABASE_CONNECTION_FAILED', detail]);
  expect(await sql.tables()).toMatchObject([{ rows: 3 }]);
});

test("a folder that cannot be removed doesn't end the service", async () => {
  const own = mkdtempSync(join(tmpdir(), 'skein-tables-'));
  await withTemporaryFolder(own, async () => {
    const sql = open(() => [SALES], LIMITS);
    await sql.tables();
    // Makes every removal below it fail.
    renameSync(own, `${own}-before`);
    writeFileSync(own, '');
    await sql.close();
  });
  for (const path of [own, `${own}-before`]) rmSync(path, { recursive: true, force: true });
  expect((await open(() => [SALES], LIMITS).tables())[0]?.rows).toBe(3);
});

test('after the engine is closed, no process is started', async () => {
  const sql = open(() => [SALES], LIMITS);
  await sql.tables();
  await pool.close();
  expect(await sql.tables().catch(({ code }) => code)).toBe('SHUTTING_DOWN');
  expect(childrenOf(process.pid)).toEqual([]);
});

test('names may have any text, and values without a JSON form are rejected immediately', async () => {
  const column = { name: 'generated always as', type: 'BIGINT' } as const;
  const odd = open(() => [{ name: 'sales', columns: [column], rows: [[1]] }], LIMITS);
  expect(await odd.tables()).toMatchObject([{ name: 'sales', rows: 1 }]);
  const cell = 1n as unknown as number;
  const sql = open(() => [{ name: 'sales', columns: [column], rows: [[cell]] }], LIMITS);
  expect(await sql.tables().catch((error) => error)).toBeInstanceOf(TypeError);
});

test('after a statement that exceeded the limits, the tables exist again', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => ['A', index % 3, null, null, null]);
  const sql = open(() => [{ ...SALES, rows }], { maxRows: 10, querySeconds: 1 });
  const more =
    'sales b ON a.units <= b.units JOIN sales c ON b.units <= c.units JOIN sales d ON c.units <= d.units';
  const endless = `SELECT sum(a.units + d.units) FROM sales a JOIN ${more}`;
  // On a busy machine, the memory limit may be reached first.
  expect(['timeout', 'limit']).toContain(await sql.query(endless).catch(({ kind }) => kind));
  expect((await sql.query('SELECT count(*) AS n FROM sales')).rows).toEqual([{ n: 5_000 }]);
});

test('a closed engine leaves only the spare process', async () => {
  const sql = open(() => [SALES], LIMITS);
  await sql.tables();
  await sql.close();
  await sql.close();
  if (process.platform === 'linux') await until(() => childrenOf(process.pid).length === 1, 30_000);
  expect((await open(() => [SALES], LIMITS).tables())[0]?.rows).toBe(3);
  await pool.close();
  expect(childrenOf(process.pid)).toEqual([]);
});

test('queries that wait when their run ends start no process', async () => {
  const engines = Array.from({ length: 5 }, () => open(() => [SALES], LIMITS));
  const outcomes = engines.map((sql) =>
    sql.tables().then(
      () => 'there',
      ({ code }) => code,
    ),
  );
  await engines[4]?.close();
  expect(await Promise.all(outcomes)).toEqual([...Array(4).fill('there'), 'INTERNAL_ERROR']);
  for (const engine of engines) await engine.close();
});

const MISFITS: [string, (string | number | boolean | null)[]][] = [
  ['a date that does not exist', ['A', 1, '2024-02-31', null, null]],
  ['a date with a time', ['A', 1, '2024-02-28T10:00', null, null]],
  ['a fraction in whole numbers', ['A', 1.5, null, null, null]],
  ['a number that cannot be exact', ['A', 2 ** 60, null, null, null]],
  ['a text in numbers', ['A', 1, null, '12', null]],
  ['a number in truth values', ['A', 1, null, null, 1]],
];

for (const [what, row] of MISFITS)
  test(`${what} is rejected, without its value`, async () => {
    const failure = await open(() => [{ ...SALES, rows: [row] }], LIMITS)
      .tables()
      .catch((error) => error);
    const refused = ['DATABASE_CONNECTION_FAILED', 'the tables cannot be made'];
    expect([failure.code, failure.detail]).toEqual(refused);
  });
