/**
 * Converts statements to syntax trees and back with DuckDB's own functions, even if the file defines functions with the same
 * name.
 */
import type { DuckDBConnection } from '@duckdb/node-api';

export interface Serialized {
  error: boolean;
  error_type?: string;
  error_message?: string;
  statements?: unknown[];
}

/** Undefined if DuckDB's output is not valid JSON, because it contains an infinite number. */
export async function serialize(connection: DuckDBConnection, sql: string): Promise<Serialized | undefined> {
  const reader = await connection.runAndReadAll('SELECT system.main.json_serialize_sql($1::VARCHAR)', [sql]);
  try {
    return JSON.parse(String(reader.getRows()[0]?.[0])) as Serialized;
  } catch {
    return undefined;
  }
}

/** The statement for a syntax tree. Throws if DuckDB cannot read the tree. */
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

/** Whether a constant may have changed in JSON, where numbers are doubles. */
export function hasLargeNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, part]) => !POSITIONS.has(name) && hasLargeNumbers(part));
}

// Positions in the text, which are only used in error messages. A missing position is a number that is too large for JSON.
const POSITIONS = new Set(['query_location', 'location']);
