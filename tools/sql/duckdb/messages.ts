/** The messages between the service and the database process: one JSON document per line, in turn. */
import type { Checked, QueryResult, Saved, SaveTarget, SqlFailure, Table } from '../engine.ts';
import type { TableData } from '../table-data.ts';

/** Maximum characters of a statement. */
export const MAX_SQL = 20_000;

/** The first line to the process. */
export interface Setup {
  /** The file to open. Without it the database is in memory, and its tables are loaded. */
  path?: string;
  /** Limit of resident memory in bytes; a process that exceeds it exits. */
  maxMemory: number;
}

export type Task =
  | { do: 'load'; tables: TableData[] }
  | { do: 'tables' }
  | { do: 'check'; sql: string }
  | { do: 'query'; sql: string; maxRows: number }
  | ({ do: 'save'; sql: string; maxRows: number; maxBytes: number } & SaveTarget);

/** The first line from the process answers no task: it is ready, or cannot open the file. */
export type Answer =
  | { is: 'ready' }
  | { is: 'closed'; reason: string }
  | { is: 'loaded' }
  | { is: 'tables'; tables: Table[] }
  | { is: 'checked'; checked: Checked }
  | { is: 'rows'; result: QueryResult }
  | { is: 'saved'; saved: Saved }
  | { is: 'failed'; failure: SqlFailure };
