/** A DuckDB file as the commands use it; loaded by them only, so that serving never loads DuckDB into its process. */
import { DuckDBInstance } from '@duckdb/node-api';
import type { Column, SqlCell, Table } from '../graphs/tools/sql/engine.ts';
import { identifier } from '../graphs/tools/sql/quote.ts';

export interface DuckDBFile {
  tables(): Promise<Table[]>;
  rows(sql: string): Promise<SqlCell[][]>;
  close(): void;
}

const MOST_SAMPLES = 20;

/** Without access to other files where it is opened for reading. Throws where the file cannot be opened. */
export async function openDuckDB(path: string, mode: 'READ_ONLY' | 'READ_WRITE'): Promise<DuckDBFile> {
  const instance = await DuckDBInstance.create(path, { access_mode: mode, threads: '2' });
  const connection = await instance.connect();
  if (mode === 'READ_ONLY') await connection.run('SET enable_external_access = false');
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  return {
    rows,
    tables: () => tablesOf(rows),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function tablesOf(rows: DuckDBFile['rows']): Promise<Table[]> {
  const named = await rows(
    `SELECT table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema = 'main' ORDER BY table_name, ordinal_position`,
  );
  const tables = new Map<string, Column[]>();
  for (const [table, name, type] of named) {
    const columns = tables.get(String(table)) ?? [];
    tables.set(String(table), [...columns, { name: String(name), type: String(type) }]);
  }
  return Promise.all([...tables].map(([name, columns]) => described(name, columns, rows)));
}

async function described(name: string, columns: readonly Column[], rows: DuckDBFile['rows']): Promise<Table> {
  const [[count] = []] = await rows(`SELECT count(*)::VARCHAR FROM ${identifier(name)}`);
  const withSamples = columns.map(async (column) => {
    const quoted = identifier(column.name);
    const values = await rows(
      `SELECT DISTINCT ${quoted} FROM ${identifier(name)} WHERE ${quoted} IS NOT NULL ORDER BY 1 LIMIT ${MOST_SAMPLES}`,
    );
    return { ...column, samples: values.flat() };
  });
  return { name, rows: Number(count), columns: await Promise.all(withSamples) };
}
