/** The contract of the engine on every database server, with real servers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCloudSql } from '../../../../tools/sql/cloud/open.ts';
import type { CloudDriver } from '../../../../tools/sql/cloud/session.ts';
import { targetOf } from '../../../../tools/sql/cloud/target.ts';
import type { SqlEngine } from '../../../../tools/sql/engine.ts';
import type { CloudSqlOptions } from '../../../../tools/sql/options.ts';
import {
  type DatabaseServer,
  findPrograms,
  makeServer,
  type ServerKind,
} from '../../../support/database-server.ts';
import { HOSTILE } from './hostile-for-all.ts';

export interface Case {
  name: string;
  kind: ServerKind;
  driver: CloudDriver;
  shop: string;
  run(port: number, text: string): Promise<Record<string, unknown>[]>;
  options(port: number): CloudSqlOptions;
  /** A connection string that requires a feature that the server doesn't have. */
  encrypted(port: number): string;
  hostile: Record<string, string[]>;
  ordinary: [sql: string, rows: number][];
  /** Statements that would change something outside of a read-only transaction. */
  writes: string[];
  /** Changes that such a transaction allows and then rolls back. */
  undone: string[];
  slow: string;
  /** Returns as `n` how many of the slow statements run. */
  running: string;
}

/** The running server, and a new engine with these limits. */
export interface Running {
  server(): DatabaseServer;
  engine(limits?: Partial<typeof LIMITS>): SqlEngine;
}

const LIMITS = { maxRows: 200, querySeconds: 5 };

export function cloudSuite(testCase: Case, more: (running: Running) => void): void {
  const bin = findPrograms(testCase.kind);
  let server: DatabaseServer;
  const engines: SqlEngine[] = [];
  const running: Running = {
    server: () => server,
    engine(limits) {
      const engine = openCloudSql(testCase.options(server.port), { ...LIMITS, ...limits });
      engines.push(engine);
      return engine;
    },
  };

  describe.skipIf(!bin)(testCase.name, () => {
    beforeAll(async () => {
      server = await makeServer(testCase.kind, bin ?? '');
      await server.start();
      await testCase.run(server.port, testCase.shop);
    }, 60_000);
    afterAll(async () => {
      await Promise.all(engines.map((engine) => engine.close()));
      await server?.remove();
    });
    common(testCase, running);
    more(running);
    breakdown(testCase, running);
  });
}

function common(testCase: Case, { server, engine }: Running): void {
  test('lists tables and views with columns, types, counts and samples', async () => {
    const tables = await engine().tables();
    expect(tables.map(({ name }) => name)).toContainValues(['city_sales', 'sales', 'stores']);
    const stores = tables.find(({ name }) => name === 'stores');
    expect(stores).toMatchObject({
      rows: 3,
      columns: [{ name: 'id' }, { name: 'city' }, { name: 'opened' }],
    });
    expect(stores?.columns[1]?.samples).toEqual(['Berlin', 'Munich', "O'Hara; DROP TABLE stores"]);
    expect(stores?.columns[2]?.samples).toContain('2019-03-01');
  });

  test('runs ordinary statements', async () => {
    expect(testCase.ordinary.length).toBeGreaterThanOrEqual(20);
    const cloud = engine();
    for (const [sql, rows] of testCase.ordinary) {
      expect([sql, await cloud.check(sql)]).toMatchObject([sql, { ok: true }]);
      const result = await cloud.query(sql);
      expect([sql, result.rowCount]).toEqual([sql, rows]);
    }
  });

  test('rejects hostile ones, and nothing is written, read from a file or delayed', async () => {
    const before = [await server().dump(), ...readdirSync(server().folder)];
    const cloud = engine();
    const statements = [...Object.values(testCase.hostile), ...Object.values(HOSTILE)].flat();
    expect(statements.length).toBeGreaterThanOrEqual(80);
    const started = performance.now();
    for (const statement of statements) {
      const sql = statement.replaceAll('$FOLDER', server().folder);
      const failure = await cloud.query(sql).catch((error) => error);
      expect([sql.slice(0, 80), failure.name, failure.kind]).toEqual([
        sql.slice(0, 80),
        'SqlError',
        'refused',
      ]);
      expect(await cloud.check(sql)).toMatchObject({ ok: false, rule: failure.rule });
    }
    expect(performance.now() - started).toBeLessThan(5_000);
    expect([await server().dump(), ...readdirSync(server().folder)]).toEqual(before);
    expect(existsSync(join(server().folder, 'stolen'))).toBe(false);
  });

  test('the read-only transaction rejects what the guard would reject', async () => {
    const before = await server().dump();
    const session = testCase.driver.open(targetOf(testCase.options(server().port)));
    for (const text of [...testCase.writes, ...testCase.undone]) {
      await session.begin(5_000);
      const selection = { text, limit: { count: 9, offset: 0 }, size: 100 };
      const failure = await session
        .describe(selection)
        .then(() => session.select(selection))
        .catch((error) => error);
      if (testCase.writes.includes(text))
        expect([text, String(failure)]).toEqual([text, expect.stringMatching(/read.only|multiple|syntax/i)]);
      await session.rollback();
    }
    session.stop();
    expect(await server().dump()).toBe(before);
  });

  test('fetches one more row than it returns, whatever limit the statement has', async () => {
    const cloud = engine({ maxRows: 3 });
    for (const sql of ['SELECT * FROM sales', 'SELECT a.id FROM sales a, sales b LIMIT 1000000'])
      expect(await cloud.query(sql)).toMatchObject({
        ...{ rowCount: 3, truncated: true, cuts: [{ limit: 'rows', at: 3 }] },
      });
    expect(await cloud.query('SELECT * FROM stores')).toMatchObject({ rowCount: 3, truncated: false });
    expect(await cloud.query('SELECT * FROM sales ORDER BY id LIMIT 2')).toMatchObject({
      rows: [{ id: 1 }, { id: 2 }],
      truncated: false,
    });
  });

  test('saves rows as CSV within its limits, and says which limit truncated them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-cloud-rows-'));
    try {
      const file = join(folder, 'rows.csv');
      const saved = await engine().save('SELECT id, NULL AS n FROM stores ORDER BY id', {
        file,
        format: 'csv',
      });
      expect([saved, readFileSync(file, 'utf8')]).toEqual([{ rows: 3, cuts: [] }, 'id,n\n1,\n2,\n3,\n']);
      const cut = join(folder, 'cut.csv');
      const cloud = engine({ maxRows: 2 });
      const some = await cloud.save('SELECT id FROM stores ORDER BY id', { file: cut, format: 'csv' });
      expect([some, readFileSync(cut, 'utf8')]).toEqual([
        { rows: 2, cuts: [{ limit: 'rows', at: 2 }] },
        'id\n1\n2\n',
      ]);
      const none = join(folder, 'none.csv');
      const refused = cloud.save('DELETE FROM stores', { file: none, format: 'csv' });
      expect(await refused.catch((error) => error)).toMatchObject({ kind: 'refused', rule: 'select_only' });
      const parquet = cloud.save('SELECT 1', { file: none, format: 'parquet' });
      expect(await parquet.catch((error) => error)).toMatchObject({ kind: 'failed' });
      expect(existsSync(none)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a statement that takes too long is ended, on the server too', async () => {
    const started = performance.now();
    const failure = await engine({ querySeconds: 0.5 })
      .query(testCase.slow)
      .catch((error) => error);
    expect(failure).toMatchObject({ name: 'SqlError', kind: 'timeout' });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('an abort ends a statement immediately, and the next one is answered', async () => {
    const cloud = engine();
    await cloud.tables();
    const started = performance.now();
    const failure = await cloud.query(testCase.slow, AbortSignal.timeout(200)).catch((error) => error);
    expect(failure.name).toBe('TimeoutError');
    await untilNoneRuns(testCase, server().port);
    // It would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(await cloud.query('SELECT COUNT(*) AS n FROM stores')).toMatchObject({ rows: [{ n: 3 }] });
  });

  test("reports the database's error for an invalid statement", async () => {
    const cloud = engine();
    expect(await cloud.check('SELECT id FROM stores GROUP BY city')).toMatchObject({
      ok: false,
      rule: 'invalid_sql',
    });
    const failure = await cloud
      .query("SELECT SUM(amount) FROM sales GROUP BY 'x', nowhere")
      .catch((error) => error);
    expect(failure.reason).toContain('nowhere');
  });

  test('a database without tables', async () => {
    await testCase.run(server().port, 'CREATE DATABASE nothing');
    const cloud = openCloudSql({ ...testCase.options(server().port), database_name: 'nothing' }, LIMITS);
    expect(await cloud.tables().catch((error) => error.code)).toBe('NO_TABLES_FOUND');
    await cloud.close();
  });
}

async function untilNoneRuns({ run, running }: Case, port: number): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const [row] = await run(port, running);
    if (Number(row?.n) === 0) return;
    await Bun.sleep(20);
  }
  throw new Error('the statement still runs');
}

function breakdown(testCase: Case, { server, engine }: Running): void {
  test("wrong credentials, database, host or port: the error doesn't show them", async () => {
    const good = testCase.options(server().port);
    const wrong: [CloudSqlOptions, RegExp][] = [
      [{ ...good, username: 'somebody', password: 'pass-word-1' }, /login|database/],
      [{ ...good, database_name: 'no_such_database' }, /database/],
      [{ ...good, server_name: '127.0.0.1:1' }, /reached/],
      [{ ...good, server_name: 'no-such-host.invalid' }, /reached/],
      [{ ...good, connection_string: testCase.encrypted(server().port) }, /encryption/],
    ];
    for (const [options, detail] of wrong) {
      const cloud = openCloudSql(options, LIMITS);
      const failure = await cloud.tables().catch((error) => error);
      expect(failure).toMatchObject({
        code: 'DATABASE_CONNECTION_FAILED',
        message: 'Database connection failed',
      });
      expect(failure.detail).toMatch(detail);
      expect(failure.detail).not.toMatch(/pass-word-1|somebody|no_such|no-such|127\.0\.0\.1/);
      await cloud.close();
    }
  });

  test('reconnects to a server that is killed and restarts', async () => {
    const cloud = engine();
    await cloud.tables();
    const slow = cloud.query(testCase.slow).catch((error) => error);
    await Bun.sleep(200);
    await server().kill();
    expect(await slow).toMatchObject({ code: 'DATABASE_CONNECTION_FAILED' });
    const failure = await cloud.query('SELECT 1 AS a').catch((error) => error);
    expect(failure).toMatchObject({ code: 'DATABASE_CONNECTION_FAILED' });
    await server().start();
    const count = 'SELECT COUNT(*) AS n FROM sales';
    expect(await cloud.query(count)).toMatchObject({ rows: [{ n: 4 }] });
    // Now with a connection that was idle during the restart.
    await server().kill();
    await server().start();
    expect(await cloud.query(count)).toMatchObject({ rows: [{ n: 4 }] });
  }, 60_000);
}
