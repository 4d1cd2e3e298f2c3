/** Reads a DuckDB file directly, to see what is in it. */
import { DuckDBInstance } from '@duckdb/node-api';

/** The rows, as JSON has their cells. */
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
