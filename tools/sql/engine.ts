/** The interface of a SQL database: its tables, the check of a statement, and the rows of a checked one. */

/** A JSON value; each driver documents its mapping of types. */
export type SqlCell = string | number | boolean | null | SqlCell[] | { [key: string]: SqlCell };

export interface Column {
  name: string;
  /** The database's type name: `VARCHAR`, `DECIMAL(10,2)`, `DATE`. */
  type: string;
}

export interface Table {
  name: string;
  /** Each with a few distinct values. */
  columns: (Column & { samples: SqlCell[] })[];
  rows: number;
}

/** `tables` are those that the statement reads, `checks` those it passed; or the violated rule, with the reason. */
export type Checked =
  | { ok: true; tables: string[]; checks: string[] }
  | { ok: false; rule: string; reason: string };

export interface Cut {
  /** Rows, bytes of all rows, or characters of a cell. */
  limit: 'rows' | 'bytes' | 'cells';
  at: number;
}

export interface QueryResult {
  /** Names are unique. */
  columns: Column[];
  rows: { [column: string]: SqlCell }[];
  /** The number of returned rows. */
  rowCount: number;
  /** The result has more rows than these. */
  truncated: boolean;
  /** The limits that have cut rows or cells, if any; a cut cell ends in `…`. */
  cuts?: Cut[];
  durationMs: number;
}

export interface SaveTarget {
  /** A path without a file. */
  file: string;
  format: 'csv' | 'parquet';
}

export interface Saved {
  rows: number;
  cuts: Cut[];
}

/**
 * Every method may throw DATABASE_CONNECTION_FAILED, OVERLOADED, or the reason of its signal; `tables` NO_TABLES_FOUND
 * without tables and SQL_EXECUTION_FAILED if it cannot read them; the others a SqlError.
 */
export interface SqlEngine {
  readonly dialect: 'duckdb' | 'postgres' | 'mysql' | 'mssql';
  tables(signal?: AbortSignal): Promise<Table[]>;
  check(sql: string, signal?: AbortSignal): Promise<Checked>;
  /** Includes the check: an unchecked statement never runs. */
  query(sql: string, signal?: AbortSignal): Promise<QueryResult>;
  /** The same, but writes whole rows to a file: as many as the engine's limits and 256 MiB allow. */
  save(sql: string, target: SaveTarget, signal?: AbortSignal): Promise<Saved>;
  close(): Promise<void>;
}

export interface SqlFailure {
  /** The guard or the database rejected it, or it took too much time, memory or output. */
  kind: 'refused' | 'failed' | 'timeout' | 'limit';
  /** For the author of the next statement: the error, without a path of the host. */
  reason: string;
  /** The guard's rule, if the guard rejected it. */
  rule?: string;
}

/**
 * The statement itself failed; another one may succeed. `instanceof` compares the name: a project's SQL steps
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
