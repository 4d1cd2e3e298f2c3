/** Fills an in-memory database with the tables of a workflow. */
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDateValue,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from '@duckdb/node-api';
import type { ColumnType, TableCell, TableData } from '../../table-data.ts';

interface Loaded {
  type: DuckDBType;
  /** Undefined for a cell of another type. */
  value(cell: NonNullable<TableCell>): DuckDBValue | undefined;
}

const TYPES: Record<ColumnType, Loaded> = {
  VARCHAR: { type: VARCHAR, value: (cell) => loadable(String(cell)) },
  BIGINT: { type: BIGINT, value: (cell) => (Number.isSafeInteger(cell) ? BigInt(cell) : undefined) },
  DOUBLE: { type: DOUBLE, value: (cell) => (typeof cell === 'number' ? cell : undefined) },
  BOOLEAN: { type: BOOLEAN, value: (cell) => (typeof cell === 'boolean' ? cell : undefined) },
  DATE: { type: DATE, value: (cell) => dateOf(String(cell)) },
};

// DuckDB's chunk size.
const ROWS = 2_048;
const DAY_MS = 86_400_000;

/** Returns the tables' names in the database. Throws if a cell doesn't match its column's type. */
export async function loadTables(
  connection: DuckDBConnection,
  tables: readonly TableData[],
): Promise<string[]> {
  for (const { name, columns, rows } of tables) {
    const list = columns.map((column) => `${quoted(column.name)} ${typeOf(column).type}`);
    await connection.run(`CREATE TABLE ${quoted(name)} (${list.join(', ')})`);
    const appender = await connection.createAppender(loadable(name));
    for (let at = 0; at < rows.length; at += ROWS)
      appender.appendDataChunk(chunkOf(columns, rows.slice(at, at + ROWS)));
    appender.closeSync();
  }
  return tables.map(({ name }) => loadable(name)).sort();
}

function chunkOf(columns: TableData['columns'], rows: TableCell[][]): DuckDBDataChunk {
  const types = columns.map(typeOf);
  const chunk = DuckDBDataChunk.create(
    types.map(({ type }) => type),
    rows.length,
  );
  chunk.setColumns(types.map((type, index) => rows.map((row) => cellOf(row[index], type))));
  return chunk;
}

function cellOf(cell: TableCell | undefined, { type, value }: Loaded): DuckDBValue {
  if (cell === null || cell === undefined) return null;
  const loaded = value(cell);
  if (loaded === undefined) throw new RangeError(`a cell is not a valid ${type}`);
  return loaded;
}

function typeOf({ type }: { type: ColumnType }): Loaded {
  if (!Object.hasOwn(TYPES, type))
    throw new RangeError('a column has a type that tables of a workflow cannot have');
  return TYPES[type];
}

/** Undefined for an invalid date. */
function dateOf(text: string): DuckDBDateValue | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) return undefined;
  return new DuckDBDateValue(time / DAY_MS);
}

/** Makes text valid for DuckDB: lone surrogates and NUL become replacement characters. */
function loadable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function quoted(name: string): string {
  return `"${loadable(name).replaceAll('"', '""')}"`;
}
