/** What the service and the process that holds the database say to each other: one JSON document a line, in turn. */
import type { Checked, QueryResult, SqlFailure, Table } from '../engine.ts';
import type { TableData } from '../table-data.ts';

/** Characters of a statement. */
export const MAX_SQL = 20_000;

/** What is opened: a file, or a database in memory with these tables. */
export type Source = { path: string; tables?: undefined } | { tables: TableData[]; path?: undefined };

/** The first line to the process. */
export type Setup = Source & {
  maxRows: number;
  /** Bytes of resident memory; the process ends itself when it passes them. */
  maxMemory: number;
};

export type Task = { do: 'tables' } | { do: 'check'; sql: string } | { do: 'query'; sql: string };

/** The first line from the process has no task before it: it is ready, or cannot open the file. */
export type Answer =
  | { is: 'ready' }
  | { is: 'closed'; reason: string }
  | { is: 'tables'; tables: Table[] }
  | { is: 'checked'; checked: Checked }
  | { is: 'rows'; result: QueryResult }
  | { is: 'failed'; failure: SqlFailure };
