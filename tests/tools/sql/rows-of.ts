/** Reads a DuckDB file directly. */
import { DuckDBInstance } from '@duckdb/node-api';

/** The rows, with their cells as JSON values. */
export async function rowsOf(path: string, sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY', threads: '1' });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
