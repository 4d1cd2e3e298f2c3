/** A DuckDB file for the commands. Only they import this, so that the service never loads DuckDB into its process. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Column, SqlCell } from '../../../tools/sql/engine.ts';
import { literal } from '../../../tools/sql/quote.ts';
import { quoted } from './quoted.ts';

export interface BaseTable {
  name: string;
  rows: number;
  columns: Column[];
}

export interface DuckDBFile {
  /** Base tables only: a view may read other files or never end. */
  tables(): Promise<BaseTable[]>;
  /** Tables and views: a new table's name may clash with them. */
  names(): Promise<{ name: string; kind: 'table' | 'view' }[]>;
  rows(sql: string): Promise<SqlCell[][]>;
  /** Runs a long statement and reports its progress: `40 %`, or an empty text if it isn't known. */
  watched<T>(work: () => Promise<T>, tell: (share: string) => void): Promise<T>;
  close(): void;
}

interface OpenOptions {
  mode: 'READ_ONLY' | 'READ_WRITE';
  /** The names of the one other file that may be read, as statements write them. */
  readable?: readonly string[];
}

/** Blocks access to all files but `readable`. Throws if the file cannot be opened. */
export async function openDuckDB(path: string, { mode, readable }: OpenOptions): Promise<DuckDBFile> {
  const instance = await DuckDBInstance.create(path, { access_mode: mode, threads: '2', ...NO_EXTENSIONS });
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  try {
    await closeOff(connection, readable);
  } catch (error) {
    close();
    throw error;
  }
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  return {
    ...{ rows, close, names: () => namesOf(rows), tables: () => tablesOf(rows) },
    watched: (work, tell) => watched(connection, work, tell),
  };
}

const TELL_MS = 250;

async function watched<T>(
  connection: DuckDBConnection,
  work: () => Promise<T>,
  tell: (share: string) => void,
): Promise<T> {
  const timer = setInterval(() => {
    const { percentage } = connection.progress;
    tell(percentage >= 0 ? `${Math.floor(percentage)} %` : '');
  }, TELL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

// Otherwise DuckDB downloads an extension to open another database's file, such as SQLite's.
const NO_EXTENSIONS = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };

/** Allow the file before blocking the rest: DuckDB rejects these settings afterwards. */
async function closeOff(connection: DuckDBConnection, readable: readonly string[] = []): Promise<void> {
  await connection.run('SET enable_progress_bar = true');
  await connection.run('SET enable_progress_bar_print = false');
  if (readable.length > 0) await connection.run(`SET allowed_paths = [${readable.map(literal).join(', ')}]`);
  await connection.run('SET enable_external_access = false');
}

// With schema names, since the database may have macros and views of the same names.
const OWN = `database_name = current_database() AND schema_name = 'main' AND NOT internal`;

async function namesOf(rows: DuckDBFile['rows']): ReturnType<DuckDBFile['names']> {
  const tables = await rows(`SELECT table_name FROM system.main.duckdb_tables() WHERE ${OWN}`);
  const views = await rows(`SELECT view_name FROM system.main.duckdb_views() WHERE ${OWN}`);
  return [
    ...tables.map(([name]) => ({ name: String(name), kind: 'table' as const })),
    ...views.map(([name]) => ({ name: String(name), kind: 'view' as const })),
  ];
}

/** One query after the other: none may still run when a failure closes the connection. */
async function tablesOf(rows: DuckDBFile['rows']): Promise<BaseTable[]> {
  const found = await rows(
    `SELECT current_database(), table_name FROM system.main.duckdb_tables() WHERE ${OWN} ORDER BY 2`,
  );
  const columns = await rows(
    `SELECT table_name, column_name, data_type FROM system.main.duckdb_columns() WHERE ${OWN} ORDER BY column_index`,
  );
  const tables: BaseTable[] = [];
  for (const [database, name] of found) {
    const whole = `${quoted(String(database))}.main.${quoted(String(name))}`;
    const [[count] = []] = await rows(`SELECT count(*)::VARCHAR FROM ${whole}`);
    const own = columns.filter(([table]) => table === name);
    tables.push({
      name: String(name),
      rows: Number(count),
      columns: own.map(([, column, type]) => ({ name: String(column), type: String(type) })),
    });
  }
  return tables;
}
