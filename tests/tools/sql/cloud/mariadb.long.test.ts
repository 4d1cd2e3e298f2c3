/** The engine over a real MariaDB. */
import { expect, test } from 'bun:test';
import { mysql } from '../../../../tools/sql/cloud/mysql.ts';
import { openCloudSql } from '../../../../tools/sql/cloud/open.ts';
import { MARIADB_SERVER, runOnMariaDb } from '../../../support/mariadb-server.ts';
import { cloudSuite } from './cloud-suite.ts';
import { HOSTILE_MYSQL } from './hostile-mysql.ts';
import { ORDINARY_FOR_ALL, ORDINARY_MYSQL } from './ordinary-statements.ts';
import { MARIADB_SHOP } from './shop.ts';

cloudSuite(
  {
    name: 'MariaDB',
    kind: MARIADB_SERVER,
    driver: mysql,
    shop: `CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop; ${MARIADB_SHOP}`,
    run: (port, text) => runOnMariaDb(port, text, 'mysql'),
    options: (port) => ({
      driver: 'mysql',
      server_name: `127.0.0.1:${port}`,
      database_name: 'shop',
      username: 'root',
    }),
    encrypted: (port) => `mysql://root@127.0.0.1:${port}/shop?sslmode=require`,
    hostile: HOSTILE_MYSQL,
    ordinary: [...ORDINARY_FOR_ALL, ...ORDINARY_MYSQL],
    writes: [
      "INSERT INTO stores SELECT 9, 'x', NULL",
      'CREATE TABLE x AS SELECT 1',
      'REPLACE INTO stores SELECT * FROM stores',
      'SELECT 1; DELETE FROM sales; SELECT 1',
      'SELECT * FROM sales FOR UPDATE; COMMIT; DELETE FROM sales',
    ],
    undone: ['SELECT last_insert_id(5)'],
    running: `SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE INFO LIKE '%EXECUTE skein%' AND ID <> CONNECTION_ID()`,
    slow: `SELECT COUNT(*) FROM ${Array.from({ length: 20 }, (_, index) => `sales x${index}`).join(', ')}`,
  },
  ({ engine, server }) => {
    test('a login only sees the tables that it may read, however the server treats backslashes', async () => {
      const { port } = server();
      await runOnMariaDb(
        port,
        `CREATE USER reader@'%' IDENTIFIED BY 'x'; GRANT SELECT ON shop.stores TO reader@'%';
         SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'`,
      );
      const reader = openCloudSql(
        { connection_string: `mysql://reader:x@127.0.0.1:${port}/shop` },
        { maxRows: 200, querySeconds: 5 },
      );
      expect((await reader.tables()).map(({ name }) => name)).toEqual(['stores']);
      expect(await reader.check('SELECT * FROM sales')).toMatchObject({ rule: 'table_not_allowed' });
      expect(await reader.query(`SELECT 'a\\\\' AS a, "b\\'" AS b FROM Stores WHERE id = 1`)).toMatchObject({
        rows: [{ a: 'a\\', b: "b'" }],
      });
      await reader.close();
    });

    test('returns values as valid JSON', async () => {
      const { rows, columns } =
        await engine().query(`SELECT 1 AS small, 9007199254740993 AS big, CAST(1.5 AS DECIMAL(10,2)) AS price,
        CAST('12345678901234567.89' AS DECIMAL(20,2)) AS exact, 1e300 AS huge, TRUE AS yes, NULL AS nothing,
        DATE '2024-02-29' AS day, TIMESTAMP '2024-02-29 10:11:12' AS at, UNHEX('00ff') AS bytes,
        JSON_OBJECT('a', 1) AS json, TIME '10:00:00' AS hour, 'größe' AS word, REPEAT('x', 1000) AS text, 1 AS small`);
      expect(rows).toEqual([
        {
          ...{
            small: 1,
            big: '9007199254740993',
            price: 1.5,
            exact: '12345678901234567.89',
            huge: 1e300,
            yes: 1,
          },
          ...{
            nothing: null,
            day: '2024-02-29',
            at: '2024-02-29T10:11:12',
            bytes: '\\x00ff',
            json: '{"a": 1}',
          },
          ...{ hour: '10:00:00', word: 'größe', text: 'x'.repeat(1000), small_2: 1 },
        },
      ]);
      expect(columns.slice(0, 3)).toEqual([
        { name: 'small', type: 'int' },
        { name: 'big', type: 'bigint' },
        { name: 'price', type: 'decimal' },
      ]);
    });

    test('truncates a long cell on the server', async () => {
      const sql = `SELECT CONCAT(${Array.from({ length: 6 }, () => 'q.t').join(', ')}) AS a FROM (SELECT REPEAT('x', 1000) AS t) q`;
      expect(String((await engine().query(sql)).rows[0]?.a)).toBe(`${'x'.repeat(4_000)}…`);
    });
  },
);
