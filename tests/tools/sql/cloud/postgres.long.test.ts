/** The engine over a real PostgreSQL. */
import { expect, test } from 'bun:test';
import { openCloudSql } from '../../../../tools/sql/cloud/open.ts';
import { postgres } from '../../../../tools/sql/cloud/postgres.ts';
import { POSTGRES_SERVER, runOnPostgres } from '../../../support/postgres-server.ts';
import { cloudSuite } from './cloud-suite.ts';
import { HOSTILE_POSTGRES } from './hostile-postgres.ts';
import { ORDINARY_FOR_ALL, ORDINARY_POSTGRES } from './ordinary-statements.ts';
import { POSTGRES_SHOP } from './shop.ts';

cloudSuite(
  {
    name: 'PostgreSQL',
    kind: POSTGRES_SERVER,
    driver: postgres,
    shop: POSTGRES_SHOP,
    run: runOnPostgres,
    options: (port) => ({
      driver: 'postgres',
      server_name: `127.0.0.1:${port}`,
      database_name: 'postgres',
      username: 'admin',
    }),
    encrypted: (port) => `postgres://admin@127.0.0.1:${port}/postgres?sslmode=require`,
    hostile: HOSTILE_POSTGRES,
    ordinary: [...ORDINARY_FOR_ALL, ...ORDINARY_POSTGRES],
    writes: [
      'WITH gone AS (DELETE FROM sales RETURNING 1) SELECT 1 FROM gone',
      'SELECT wipe() UNION ALL SELECT 1 ORDER BY 1',
      "SELECT setval('counter', 100)",
      'SELECT 1; DELETE FROM sales; SELECT 1',
      'SELECT * FROM sales FOR UPDATE',
    ],
    undone: ['SELECT lo_create(0)', "SELECT lo_from_bytea(0, 'x')"],
    running: `SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%' AND pid <> pg_backend_pid()`,
    slow: `SELECT count(*) FROM generate_series(1, 3000) a, generate_series(1, 3000) b, generate_series(1, 3000) c`,
  },
  ({ engine, server }) => {
    test('a login only sees the tables that it may read', async () => {
      const { port } = server();
      await runOnPostgres(
        port,
        `CREATE ROLE reader LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA public TO reader; GRANT SELECT ON stores TO reader;
         GRANT SELECT (id, note) ON sales TO reader; ALTER ROLE reader SET default_transaction_read_only = on;
         ALTER ROLE reader SET standard_conforming_strings = off; ALTER ROLE reader SET DateStyle = 'German'`,
      );
      const reader = openCloudSql(
        { connection_string: `postgres://reader:x@127.0.0.1:${port}/postgres` },
        { maxRows: 200, querySeconds: 5 },
      );
      const tables = await reader.tables();
      expect(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)])).toEqual([
        ['sales', ['id', 'note']],
        ['stores', ['id', 'city', 'opened']],
      ]);
      expect(await reader.check('SELECT * FROM city_sales')).toMatchObject({ rule: 'table_not_allowed' });
      expect(await reader.query("SELECT opened, 'a\\' AS b FROM stores WHERE id = 1")).toMatchObject({
        rows: [{ opened: '2019-03-01', b: 'a\\' }],
      });
      await reader.close();
    });

    test("functions are the database's, even if a user has created one with the same name", async () => {
      expect(await engine().query("SELECT lower('ABC') AS a")).toMatchObject({ rows: [{ a: 'abc' }] });
      const failure = await engine()
        .query('SELECT lower(1)')
        .catch((error) => error);
      expect(failure).toMatchObject({ kind: 'failed' });
    });

    test('returns values as valid JSON', async () => {
      const { rows, columns } =
        await engine().query(`SELECT 1::smallint AS small, 9007199254740993 AS big, 1.50 AS price,
        12345678901234567.89 AS exact, 0.1::real AS short, 'NaN'::float8 AS nan, true AS yes, NULL AS nothing,
        DATE '2024-02-29' AS day, TIMESTAMP '2024-02-29 10:11:12.5' AS at, '2024-02-29 10:00:00+02'::timestamptz AS zoned,
        'infinity'::timestamp AS never, '\\x00ff'::bytea AS bytes, '{"a": 1}'::jsonb AS json, ARRAY[1, 2] AS list,
        INTERVAL '1 day 2 hours' AS span, TIME '10:00' AS hour, repeat('x', 1000) || repeat('y', 1000) AS text, 1 AS small`);
      expect(rows).toEqual([
        {
          ...{
            small: 1,
            big: '9007199254740993',
            price: 1.5,
            exact: '12345678901234567.89',
            short: 0.1,
            nan: 'NaN',
          },
          ...{
            yes: true,
            nothing: null,
            day: '2024-02-29',
            at: '2024-02-29T10:11:12.5',
            zoned: '2024-02-29T08:00:00Z',
          },
          ...{ never: 'infinity', bytes: '\\x00ff', json: '{"a": 1}', list: [1, 2], span: '1 day 02:00:00' },
          ...{ hour: '10:00:00', text: 'x'.repeat(1000) + 'y'.repeat(1000), small_2: 1 },
        },
      ]);
      expect(columns.slice(0, 3)).toEqual([
        { name: 'small', type: 'smallint' },
        { name: 'big', type: 'bigint' },
        { name: 'price', type: 'numeric' },
      ]);
    });

    test('truncates a long cell on the server', async () => {
      const { rows } = await engine().query(
        "SELECT string_agg(repeat('x', 1000), '') AS long FROM generate_series(1, 1000)",
      );
      expect(String(rows[0]?.long)).toBe(`${'x'.repeat(4_000)}…`);
    });
  },
);
