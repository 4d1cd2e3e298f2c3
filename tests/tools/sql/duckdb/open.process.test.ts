/** The engine's processes: start, end and restart, whatever happens to the statement or the file. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDbOptions, openDuckDb } from '../../../../tools/sql/duckdb/open.ts';
import type { SqlEngine } from '../../../../tools/sql/engine.ts';
import { withTemporaryFolder } from '../../../support/temporary-folder.ts';
import { type Database, makeDatabase, writeDatabase } from '../database.ts';
import { childrenOf, commandOf } from '../processes.ts';

const COUNT = 'SELECT count(*) AS n FROM orders';
const BURN =
  'SELECT sum(a.id + b.id + c.id + d.id) FROM orders a JOIN orders b USING (same) JOIN orders c USING (same) JOIN orders d USING (same)';
const ON_LINUX = process.platform === 'linux';

let database: Database;
let engines: SqlEngine[] = [];

beforeEach(async () => {
  database = await makeDatabase();
});

afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  engines = [];
  database.remove();
});

function open(options: Partial<DuckDbOptions> = {}): SqlEngine {
  const engine = openDuckDb({ path: database.path, ...options });
  engines.push(engine);
  return engine;
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error) => error,
  );

test('tables have columns, types, distinct samples and counts', async () => {
  const tables = await open().tables();
  expect(tables.map(({ name, rows }) => [name, rows])).toEqual([
    ['customers', 20],
    ['odd "name', 1],
    ['orders', 1000],
  ]);
  expect(tables[0]?.columns[2]).toEqual({ name: 'city', type: 'VARCHAR', samples: ['Bern', 'Basel', 'Zug'] });
  expect(tables[0]?.columns[3]?.samples[0]).toBe("{'street': Road 0, 'zip': 0}");
  expect(tables[2]?.columns.find(({ name }) => name === 'amount')).toEqual({
    name: 'amount',
    type: 'DECIMAL(10,2)',
    samples: [0, 1.25, 2.5],
  });
});

test('a file without tables fails with NO_TABLES_FOUND', async () => {
  const empty = await makeDatabase(['CREATE VIEW v AS SELECT 1']);
  const failure = await failureOf(open({ path: empty.path }).tables());
  expect(failure).toMatchObject({ code: 'NO_TABLES_FOUND', message: 'No tables found' });
  empty.remove();
});

test('a file that is missing, no database, or being written fails with DATABASE_CONNECTION_FAILED, and works afterwards', async () => {
  const engine = open();
  const refused = async (words: RegExp) => {
    const failure = await failureOf(engine.query(COUNT));
    expect(failure).toMatchObject({
      code: 'DATABASE_CONNECTION_FAILED',
      message: 'Database connection failed',
    });
    expect(failure.detail).toMatch(words);
    expect(failure.detail).not.toContain(database.folder);
  };
  const good = readFileSync(database.path);
  rmSync(database.path);
  await refused(/database file at .* does not exist/);
  writeFileSync(database.path, 'this is a text');
  await refused(/not a valid DuckDB database/);
  writeFileSync(database.path, '');
  await refused(/not a valid DuckDB database|cannot be read/);
  writeFileSync(database.path, good);
  expect((await engine.query(COUNT)).rows).toEqual([{ n: 1000 }]);
});

test('a file that another process writes can be read after that process has ended', async () => {
  const script = `const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create(process.argv[1]);
    console.log('open');
    await Bun.stdin.text();
    instance.closeSync();`;
  const writer = Bun.spawn([process.execPath, '-e', script, database.path], {
    stdin: 'pipe',
    stdout: 'pipe',
  });
  await writer.stdout.getReader().read();
  const engine = open();
  expect(await failureOf(engine.query(COUNT))).toMatchObject({
    code: 'DATABASE_CONNECTION_FAILED',
    detail: expect.stringContaining('another process has the database file open'),
  });
  writer.stdin.end();
  await writer.exited;
  expect((await engine.query(COUNT)).rows).toEqual([{ n: 1000 }]);
});

test('a file that is replaced is opened again, and tables() sees it', async () => {
  const engine = open();
  expect((await engine.query(COUNT)).rows).toEqual([{ n: 1000 }]);
  const next = `${database.path}.next`;
  await writeDatabase(next, ['CREATE TABLE orders AS SELECT 1 AS only']);
  renameSync(next, database.path);
  expect((await engine.query(COUNT)).rows).toEqual([{ n: 1 }]);
  expect((await engine.tables()).map(({ name }) => name)).toEqual(['orders']);
});

test('reading changes neither the file nor its folder', async () => {
  const before = Bun.hash(readFileSync(database.path));
  const engine = open();
  await engine.tables();
  await engine.query('SELECT * FROM orders ORDER BY note');
  await engine.close();
  expect(Bun.hash(readFileSync(database.path))).toBe(before);
  expect(readdirSync(join(database.path, '..'))).toEqual(['sample.duckdb']);
});

test('the WAL of a crashed writer is read, and not changed', async () => {
  const script = `const { DuckDBInstance } = await import('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create(process.argv[1])).connect();
    await connection.run('INSERT INTO orders (id) SELECT * FROM range(5)');
    process.kill(process.pid, 'SIGKILL');`;
  await Bun.spawn([process.execPath, '-e', script, database.path]).exited;
  const log = readFileSync(`${database.path}.wal`);
  expect((await open().query(COUNT)).rows).toEqual([{ n: 1005 }]);
  expect(readFileSync(`${database.path}.wal`)).toEqual(log);
});

test('a statement past its deadline is ended, while the timers of the service keep ticking', async () => {
  const engine = open({ querySeconds: 1 });
  await engine.query(COUNT);
  let ticks = 0;
  let latest = performance.now();
  let lag = 0;
  const timer = setInterval(() => {
    ticks++;
    lag = Math.max(lag, performance.now() - latest - 10);
    latest = performance.now();
  }, 10);
  const started = performance.now();
  const failure = await failureOf(engine.query(BURN));
  const took = performance.now() - started;
  clearInterval(timer);
  expect(failure).toMatchObject({ name: 'SqlError', kind: 'timeout' });
  expect(took).toBeWithin(990, 20_000);
  // Other programs may use the cores; if the engine blocked, there would be one tick and a lag of a second.
  expect(ticks).toBeGreaterThan(20);
  expect(lag).toBeLessThan(900);
  expect((await engine.query(COUNT)).rows).toEqual([{ n: 1000 }]);
});

test('a cancelled statement is ended immediately, and so is a waiting one', async () => {
  const engine = open({ processes: 1, querySeconds: 30 });
  await engine.query(COUNT);
  const reason = new Error('the run was cancelled');
  const burning = new AbortController();
  const waiting = new AbortController();
  const started = performance.now();
  const first = failureOf(engine.query(BURN, burning.signal));
  const second = failureOf(engine.query(COUNT, waiting.signal));
  const third = engine.query(COUNT);
  waiting.abort(reason);
  expect(await second).toBe(reason);
  burning.abort(reason);
  expect(await first).toBe(reason);
  expect((await third).rows).toEqual([{ n: 1000 }]);
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(await failureOf(engine.query(COUNT, AbortSignal.abort(reason)))).toBe(reason);
});

test('the numbers of running and waiting statements are limited', async () => {
  const engine = open({ processes: 2, waiting: 3, querySeconds: 1 });
  const all = Array.from({ length: 7 }, (_, n) => failureOf(engine.query(n < 2 ? BURN : COUNT)));
  const failures = await Promise.all(all);
  if (ON_LINUX) expect(childrenOf(process.pid).length).toBeLessThanOrEqual(2);
  expect(failures.map((failure) => failure.kind ?? failure.code ?? failure)).toEqual([
    'timeout',
    'timeout',
    'no failure',
    'no failure',
    'no failure',
    'OVERLOADED',
    'OVERLOADED',
  ]);
});

test("a statement whose scalar function needs too much memory is ended at the limit, and the service's memory doesn't grow", async () => {
  const engine = open({ maxMemory: 256 * 1024 * 1024 });
  await engine.query(COUNT);
  const before = process.memoryUsage.rss();
  let peak = 0;
  const watch = setInterval(() => {
    for (const pid of childrenOf(process.pid)) peak = Math.max(peak, residentOf(pid));
  }, 5);
  const failure = await failureOf(
    engine.query(
      `WITH a AS (SELECT repeat('x', 1000) AS s), b AS (SELECT repeat(s, 1000) AS s FROM a),
       c AS (SELECT repeat(s, 100) AS s FROM b, range(40)) SELECT sum(length(c.s || d.s)) FROM c, c AS d`,
    ),
  );
  clearInterval(watch);
  expect(failure).toMatchObject({ name: 'SqlError', kind: 'limit' });
  if (ON_LINUX) expect(peak).toBeLessThan(600 * 1024 * 1024);
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  expect((await engine.query(COUNT)).rows).toEqual([{ n: 1000 }]);
}, 60_000);

test('a process that is killed from outside is replaced', async () => {
  const engine = open({ processes: 1 });
  await engine.query(COUNT);
  for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
  const first = await failureOf(engine.query(COUNT));
  // Its end may be noticed before or after the next statement.
  expect(['no failure', 'limit']).toContain(first.kind ?? first);
  expect((await engine.query(COUNT)).rows).toEqual([{ n: 1000 }]);
});

test.if(ON_LINUX)(
  'a process has an empty environment, an empty folder, and ends with the engine',
  async () => {
    const engine = open({ processes: 1 });
    await engine.query(COUNT);
    const [pid = 0] = childrenOf(process.pid);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    expect(environment).toEqual(['BUN_RUNTIME_TRANSPILER_CACHE_PATH=0']);
    expect(readdirSync(`/proc/${pid}/cwd`)).toEqual([]);
    expect(commandOf(pid)).not.toContain(database.path);
    await engine.close();
    expect(commandOf(pid)).toBe('');
    expect(await failureOf(engine.query(COUNT))).toMatchObject({ code: 'SHUTTING_DOWN' });
  },
);

test.if(ON_LINUX)('the processes exit when the service is killed', async () => {
  const service = Bun.spawn([process.execPath, join(import.meta.dir, 'engine-process.ts'), database.path], {
    stdout: 'pipe',
  });
  const { value } = await service.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('[{"n":1000}]\n');
  const orphans = childrenOf(service.pid);
  const folders = orphans.map((pid) => readlinkSync(`/proc/${pid}/cwd`));
  expect(orphans.length).toBe(1);
  service.kill('SIGKILL');
  await service.exited;
  const haveExited = () => orphans.every((pid) => commandOf(pid) === '');
  for (const start = Date.now(); !haveExited() && Date.now() - start < 3_000; ) await Bun.sleep(10);
  expect(haveExited()).toBe(true);
  expect(folders.map((folder) => existsSync(folder))).toEqual([false]);
});

test('the engine is loaded lazily, and DuckDB is never loaded into the service', async () => {
  const script = `await import('${join(import.meta.dir, '../../../../tools/sql/duckdb/open.ts')}');
    console.log(Object.keys(require.cache).some((file) => file.includes('@duckdb')))`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  expect(await new Response(child.stdout).text()).toBe('false\n');
});

test('every folder that it created is removed', async () => {
  // A separate folder, because the engines of other test files use the common one.
  const folder = mkdtempSync(join(tmpdir(), 'skein-own-'));
  await withTemporaryFolder(folder, async () => {
    const engine = open({ processes: 1, querySeconds: 1 });
    await failureOf(engine.query(BURN));
    expect(readdirSync(folder)).not.toEqual([]);
    await engine.query(COUNT);
    await engine.close();
  });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

function residentOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
