/** How the settings of a database server are read, and which are required. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openCloudSql } from '../../../../tools/sql/cloud/open.ts';
import { targetOf } from '../../../../tools/sql/cloud/target.ts';
import type { CloudSqlOptions } from '../../../../tools/sql/options.ts';

const LOGIN = { username: 'reader', password: 'pass-word-1' };

test('fields, with the default port or another', () => {
  const options = { driver: 'mysql', server_name: 'db.example', database_name: 'shop', ...LOGIN };
  expect(targetOf(options)).toEqual({
    ...{ dialect: 'mysql', hostname: 'db.example', port: 3306, database: 'shop', ...LOGIN },
    connectionString: undefined,
  });
  expect(targetOf({ ...options, server_name: 'db.example:3307' })).toMatchObject({ port: 3307 });
  expect(targetOf({ ...options, server_name: '[::1]:3307' })).toMatchObject({ hostname: '::1', port: 3307 });
});

test('ODBC names of SQL Server mean mssql', () => {
  for (const driver of ['mssql', 'ODBC Driver 18 for SQL Server', 'SQL Server'])
    expect(
      targetOf({ driver, server_name: 'tcp:db.example,1444', database_name: 'shop', ...LOGIN }),
    ).toMatchObject({ dialect: 'mssql', hostname: 'db.example', port: 1444 });
});

test('a connection string takes precedence, and its scheme selects the driver', () => {
  const connection_string = 'postgres://other:p%40ss@db2.example:6000/store?sslmode=require';
  const options = { connection_string, server_name: 'db.example', database_name: 'shop', ...LOGIN };
  expect(targetOf(options)).toEqual({
    ...{ dialect: 'postgres', hostname: 'db2.example', port: 6000, database: 'store' },
    ...{ username: 'other', password: 'p@ss', connectionString: connection_string },
  });
  expect(targetOf({ connection_string: 'mariadb://db.example/shop', ...LOGIN })).toMatchObject({
    dialect: 'mysql',
    ...LOGIN,
  });
  const odbc = 'Driver={ODBC Driver 18 for SQL Server};Server=db.example;Database=shop;Uid=a;Pwd=b';
  expect(targetOf({ connection_string: odbc })).toMatchObject({
    dialect: 'mssql',
    connectionString: odbc,
  });
});

test.each<[string, CloudSqlOptions]>([
  ['driver', { server_name: 'secret-host', database_name: 'shop', ...LOGIN }],
  ['driver', { connection_string: 'secret-host/shop', ...LOGIN }],
  ['server_name', { driver: 'postgres', database_name: 'shop', ...LOGIN }],
  ['server_name', { driver: 'postgres', server_name: 'secret-host:x', database_name: 'shop', ...LOGIN }],
  ['database_name', { driver: 'postgres', server_name: 'secret-host', ...LOGIN }],
  ['username', { driver: 'postgres', server_name: 'secret-host', database_name: 'shop' }],
  ['connection_string', { driver: 'mysql', connection_string: 'secret-host;shop', ...LOGIN }],
])('names cloud_sql.%s where it is missing or wrong, and no value', (field, options) => {
  const open = () => openCloudSql(options, { maxRows: 200, querySeconds: 5 });
  expect(open).toThrow(
    expect.objectContaining({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringMatching(
        new RegExp(`^Validation error in field 'cloud_sql.${field}': (?!.*(secret|pass-word))`),
      ),
    }),
  );
});

const installed = existsSync(join(import.meta.dir, '../../../../node_modules/mssql'));

test.skipIf(installed)('SQL Server without its package says what to install', async () => {
  const engine = openCloudSql(
    { driver: 'mssql', server_name: '127.0.0.1:1', database_name: 'shop', ...LOGIN },
    { maxRows: 200, querySeconds: 5 },
  );
  const failure = await engine.tables().catch((error) => error);
  expect(failure).toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: `Validation error in field 'cloud_sql.driver': SQL Server needs the package mssql: run "bun add mssql@12.7.14"`,
  });
  await engine.close();
});
