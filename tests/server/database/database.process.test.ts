/** GET /api/v1/database/tables: the tables of the configured database, and the errors without tables. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { SAMPLE_DATABASE, type TestService, testService } from '../../support/service.ts';
import { protectedConfig } from '../support/credentials.ts';
import { answerOf, expectRefused } from '../support/refused.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-database-'));
afterAll(() => rmSync(folder, { recursive: true }));

const tablesOf = (service: TestService) => answerOf(service.fetch('/api/v1/database/tables'));
const configured = (file: string) => `local_sql_db: { database_path: ${join(folder, file)} }`;

async function database(file: string, ...statements: string[]): Promise<void> {
  const instance = await DuckDBInstance.create(join(folder, file));
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

async function asked(config: string, env: Record<string, string> = {}) {
  const service = await testService({ config, env });
  try {
    return await tablesOf(service);
  } finally {
    await service.close();
  }
}

test('its tables have their columns, types, row counts and sample values', async () => {
  await database(
    'weather.duckdb',
    'CREATE TABLE weather (city VARCHAR, degrees DECIMAL(4,1), day DATE)',
    "INSERT INTO weather VALUES ('Berlin', 21.5, '2026-01-01'), ('Munich', NULL, '2026-01-02')",
  );
  expect(await asked(configured('weather.duckdb'))).toMatchObject({
    status: 200,
    body: {
      dialect: 'duckdb',
      description: 'local SQL database (DuckDB)',
      tables: [
        {
          name: 'weather',
          rows: 2,
          columns: [
            { name: 'city', type: 'VARCHAR', samples: ['Berlin', 'Munich'] },
            { name: 'degrees', type: 'DECIMAL(4,1)', samples: [21.5] },
            { name: 'day', type: 'DATE', samples: ['2026-01-01', '2026-01-02'] },
          ],
        },
      ],
    },
  });
});

test('a database without tables, a missing file and a broken file have their own errors', async () => {
  await database('empty.duckdb');
  expectRefused(await asked(configured('empty.duckdb')), 500, 'NO_TABLES_FOUND');
  const missing = await asked(configured('missing.duckdb'));
  expectRefused(missing, 500, 'DATABASE_CONNECTION_FAILED');
  writeFileSync(join(folder, 'broken.duckdb'), 'no database');
  const broken = await asked(configured('broken.duckdb'));
  expectRefused(broken, 500, 'DATABASE_CONNECTION_FAILED');
  expect(JSON.stringify([missing, broken])).not.toContain(folder);
});

test('without a setting, it is the sample data', async () => {
  const { status, body } = await asked('', SAMPLE_DATABASE);
  expect(status).toBe(200);
  expect(body.tables.map(({ name }: { name: string }) => name)).toContain('stores');
  expect(body.tables.every(({ rows }: { rows: number }) => rows > 0)).toBe(true);
});

test('it requires credentials', async () => {
  expectRefused(await asked(protectedConfig()), 401, 'UNAUTHORIZED');
});
