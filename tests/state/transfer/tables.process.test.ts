/** A copy contains all that the drivers store: a new table or column must be described, or listed here with a reason. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { migrate } from '../../../state/sqlite/file/schema.ts';
import { writtenColumns } from '../../../state/transfer/shapes.ts';
import { TABLES } from '../../../state/transfer/tables.ts';
import { postgresServers } from '../../support/open-drivers.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

/** Data of running processes, of other stores, or derived by the database. */
const LEFT = new Set([
  ...['migrations', 'servers', 'sweeps', 'retention_hour', 'counters'],
  ...['prompt_files', 'prompt_versions', 'prompt_changes'],
  ...['threads.closing', 'threads.closed_by', 'runs.server', 'runs.left_by', 'runs.writes', 'items.place'],
  // Rebuilt from the runs.
  ...['runs.searchable', 'search_entries', 'search_words'],
  ...['config', 'content', 'data', 'docsize', 'idx'].map((part) => `search_words_${part}`),
  ...['budget_shares.server', 'budget_shares.held_tokens', 'budget_shares.held_cost'],
  ...['webhook_deliveries', 'crons', 'cron_threads'].flatMap((table) => [
    `${table}.held_until`,
    `${table}.held_by`,
  ]),
]);

function described(driver: 'sqlite' | 'postgres'): string[] {
  return TABLES.flatMap((table) =>
    Object.keys(writtenColumns(driver, table)).map((column) => `${table.name}.${column}`),
  ).sort();
}

const stored = (names: { table: string; column: string }[]) =>
  names
    .filter(({ table, column }) => !LEFT.has(table) && !LEFT.has(`${table}.${column}`))
    .map(({ table, column }) => `${table}.${column}`)
    .sort();

test('of SQLite', () => {
  const db = new Database(':memory:');
  migrate(db);
  const names = db
    .query<{ table: string; column: string }, []>(
      `SELECT s.name AS "table", c.name AS "column" FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
       WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%'`,
    )
    .all();
  db.close();
  expect(described('sqlite').filter((name) => name !== 'runs.rowid')).toEqual(stored(names));
});

describe.skipIf(POSTGRES === undefined)('with PostgreSQL', () => {
  test('of PostgreSQL', async () => {
    const { open, drop } = await postgresServers();
    const names = await open().all<{ table: string; column: string }>(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'skein'`,
    );
    expect(described('postgres')).toEqual(stored(names));
    await drop();
  });
});
