/** The tables of a DuckDB file: names for the guard, and columns, row counts and sample values for writing SQL. */
import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { SqlCell, Table } from '../../engine.ts';
import { type Catalog, lowerCase } from '../catalog.ts';
import { cell } from './cells.ts';
import { typeText } from './rows.ts';

/**
 * Only base tables of the main schema, because views and generated columns may contain expressions that statements must not
 * contain. Names in these queries are fully qualified, because a file may define functions with the same names.
 */
export async function readCatalog(connection: DuckDBConnection): Promise<Catalog> {
  const names = await texts(connection, 'SELECT system.main.current_database()');
  const tables = await texts(
    connection,
    `SELECT table_name FROM system.main.duckdb_tables() WHERE database_name = system.main.current_database() AND schema_name = 'main'
     AND NOT internal AND NOT temporary AND NOT system.main.contains(system.main.upper(sql), 'GENERATED ALWAYS AS')
     ORDER BY table_name`,
  );
  const macros = await texts(
    connection,
    'SELECT function_name FROM system.main.duckdb_functions() WHERE NOT internal',
  );
  const schemas = await texts(connection, 'SELECT schema_name FROM system.main.duckdb_schemas()');
  return {
    name: names[0] ?? '',
    tables: new Map(tables.map((name) => [lowerCase(name), name])),
    macros: new Set(macros.map(lowerCase)),
    schemas: new Set(schemas.map(lowerCase)),
  };
}

// More tables and columns would not fit into a prompt.
const MAX_TABLES = 100;
const MAX_COLUMNS = 60;

export async function readTables(connection: DuckDBConnection, { tables }: Catalog): Promise<Table[]> {
  const found: Table[] = [];
  for (const name of [...tables.values()].slice(0, MAX_TABLES)) found.push(await readTable(connection, name));
  return found;
}

// Samples are the beginnings of values in the first rows, because tables and values may be large.
const SAMPLED_ROWS = 50;
const SAMPLES = 3;
const SAMPLE_SIZE = 60;
const PLAIN =
  /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|DOUBLE|FLOAT|BOOLEAN|DATE|TIME.*|UUID|ENUM.*|INTERVAL)$/;

async function readTable(connection: DuckDBConnection, name: string): Promise<Table> {
  const table = `main."${name.replaceAll('"', '""')}"`;
  const count = await connection.runAndReadAll(`SELECT system.main.count_star() FROM ${table}`);
  const shape = await connection.runAndReadAll(`SELECT * FROM ${table} LIMIT 0`);
  const names = shape.columnNames().slice(0, MAX_COLUMNS);
  const types = names.map((_, index) => typeText(shape.columnType(index)));
  const list = names.map((column, index) => sampled(column, types[index] ?? ''));
  const first = await connection.runAndReadAll(
    `SELECT ${list.join(', ')} FROM ${table} LIMIT ${SAMPLED_ROWS}`,
  );
  const values = first.getColumns();
  const columns = names.map((column, index) => ({
    name: column,
    type: types[index] ?? '',
    samples: samplesOf(values[index] ?? [], first.columnType(index)),
  }));
  return { name, columns, rows: Number(count.getRows()[0]?.[0] ?? 0) };
}

/** The expression for the samples of a column: the beginning of texts and nested values, and nothing of blobs. */
function sampled(column: string, type: string): string {
  const name = `"${column.replaceAll('"', '""')}"`;
  if (PLAIN.test(type)) return name;
  return type === 'BLOB' ? 'NULL' : `system.main."left"(TRY_CAST(${name} AS VARCHAR), ${SAMPLE_SIZE + 1})`;
}

function samplesOf(values: DuckDBValue[], type: DuckDBType): SqlCell[] {
  const samples = new Map<string, SqlCell>();
  for (const value of values) {
    if (samples.size === SAMPLES) break;
    if (value === null) continue;
    const sample = cell(value, type, { size: SAMPLE_SIZE });
    samples.set(JSON.stringify(sample), sample);
  }
  return [...samples.values()];
}

async function texts(connection: DuckDBConnection, sql: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRows().map(([value]) => String(value));
}
