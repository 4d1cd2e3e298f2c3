/** The messages between the service and the database process, which take turns: one JSON document per line. */
import type { Checked, QueryResult, Saved, SaveTarget, SqlFailure, Table } from '../engine.ts';
import type { TableData } from '../table-data.ts';

/** The first line to the process. */
export interface Setup {
  /** The file to open. Without one, the database is in memory, and its tables are loaded by a task. */
  path?: string;
  /** The limit of resident memory, in bytes. A process that exceeds it exits. */
  maxMemory: number;
}

export type Task =
  | { do: 'load'; tables: TableData[] }
  | { do: 'tables' }
  | { do: 'check'; sql: string }
  | { do: 'query'; sql: string; maxRows: number }
  | ({ do: 'save'; sql: string; maxRows: number; maxBytes: number } & SaveTarget);

/** The first line from the process is not the answer to a task: it says that the process is ready, or cannot open the file. */
export type Answer =
  | { is: 'ready' }
  | { is: 'closed'; reason: string }
  | { is: 'loaded' }
  | { is: 'tables'; tables: Table[] }
  | { is: 'checked'; checked: Checked }
  | { is: 'rows'; result: QueryResult }
  | { is: 'saved'; saved: Saved }
  | { is: 'failed'; failure: SqlFailure };
