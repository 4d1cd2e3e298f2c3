/** Syntax trees as DuckDB writes and reads them: its own functions, whatever the file calls so. */
import type { DuckDBConnection } from '@duckdb/node-api';

export interface Serialized {
  error: boolean;
  error_type?: string;
  error_message?: string;
  statements?: unknown[];
}

/** Undefined where it is not JSON: an infinite number is written as one. */
export async function serialize(connection: DuckDBConnection, sql: string): Promise<Serialized | undefined> {
  const reader = await connection.runAndReadAll('SELECT system.main.json_serialize_sql($1::VARCHAR)', [sql]);
  try {
    return JSON.parse(String(reader.getRows()[0]?.[0])) as Serialized;
  } catch {
    return undefined;
  }
}

/** The statement of a tree. Throws where DuckDB cannot read the tree. */
export async function deserialize(connection: DuckDBConnection, tree: unknown): Promise<string> {
  const text = JSON.stringify({ error: false, statements: [tree] }, (name, value) =>
    POSITIONS.has(name) ? 0 : value,
  );
  const reader = await connection.runAndReadAll(
    'SELECT system.main.json_deserialize_sql($1::VARCHAR::JSON)',
    [text],
  );
  return String(reader.getRows()[0]?.[0]);
}

/** Whether a constant has changed on its way through JSON: its numbers are doubles here. */
export function hasLargeNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, part]) => !POSITIONS.has(name) && hasLargeNumbers(part));
}

// Where something stands in the text, or nowhere, which is a number too large for JSON. Only error messages have it.
const POSITIONS = new Set(['query_location', 'location']);
