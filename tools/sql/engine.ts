/** The interface of a SQL database: its tables, the check of a statement, and the rows of a checked statement. */

/** A JSON value. Each driver documents how it maps types. */
export type SqlCell = string | number | boolean | null | SqlCell[] | { [key: string]: SqlCell };

export interface Column {
  name: string;
  /** The type's name in the database: `VARCHAR`, `DECIMAL(10,2)`, `DATE`. */
  type: string;
}

export interface Table {
  name: string;
  /** Each column has a few distinct values as samples. */
  columns: (Column & { samples: SqlCell[] })[];
  rows: number;
}

/** The tables that the statement reads and the checks that it has passed, or the violated rule with the reason. */
export type Checked =
  | { ok: true; tables: string[]; checks: string[] }
  | { ok: false; rule: string; reason: string };

export interface Cut {
  /** The number of rows, the bytes of all rows, or the characters of a cell. */
  limit: 'rows' | 'bytes' | 'cells';
  at: number;
}

export interface QueryResult {
  /** The names are unique. */
  columns: Column[];
  rows: { [column: string]: SqlCell }[];
  /** The number of returned rows. */
  rowCount: number;
  /** Whether the result has more rows than these. */
  truncated: boolean;
  /** The limits that have truncated rows or cells, if any. A truncated cell ends with `…`. */
  cuts?: Cut[];
  durationMs: number;
}

export interface SaveTarget {
  /** A path at which no file exists. */
  file: string;
  format: 'csv' | 'parquet';
}

export interface Saved {
  rows: number;
  cuts: Cut[];
}

/**
 * Every method may throw DATABASE_CONNECTION_FAILED, OVERLOADED, or the reason of its signal. `tables` also throws
 * NO_TABLES_FOUND if there are none, and SQL_EXECUTION_FAILED if it cannot read them. The other methods also throw a SqlError.
 */
export interface SqlEngine {
  readonly dialect: 'duckdb' | 'postgres' | 'mysql' | 'mssql';
  tables(signal?: AbortSignal): Promise<Table[]>;
  check(sql: string, signal?: AbortSignal): Promise<Checked>;
  /** Checks the statement first. An unchecked statement never runs. */
  query(sql: string, signal?: AbortSignal): Promise<QueryResult>;
  /** Like `query`, but writes complete rows to a file, as many as the engine's limits and 256 MiB allow. */
  save(sql: string, target: SaveTarget, signal?: AbortSignal): Promise<Saved>;
  close(): Promise<void>;
}

export interface SqlFailure {
  /** The guard rejected the statement, it failed in the database, or it exceeded a limit of time, memory or output. */
  kind: 'refused' | 'failed' | 'timeout' | 'limit';
  /** The error, for the author of the next statement. Contains no path of the host. */
  reason: string;
  /** The guard's rule, if the guard rejected it. */
  rule?: string;
}

/**
 * The statement itself failed, and another one may succeed. `instanceof` compares the name, because the SQL steps of a project
 * may come from another installed copy than the engine.
 */
export class SqlError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'SqlError' && 'kind' in value;
  }

  override readonly name = 'SqlError';
  readonly kind: SqlFailure['kind'];
  readonly reason: string;
  readonly rule: string | undefined;

  constructor({ kind, reason, rule }: SqlFailure, options?: { cause?: unknown }) {
    super(rule === undefined ? reason : `${rule}: ${reason}`, options);
    this.kind = kind;
    this.reason = reason;
    this.rule = rule;
  }
}
