/** What a SQL database is to a workflow: its tables, a check of a statement, and the rows of a checked one. */

/** A value as JSON has it: see the driver for how it maps its database's types. */
export type SqlCell = string | number | boolean | null | SqlCell[] | { [key: string]: SqlCell };

export interface Column {
  name: string;
  /** As the database names it: `VARCHAR`, `DECIMAL(10,2)`, `DATE`. */
  type: string;
}

export interface Table {
  name: string;
  /** Each with a few of its values, different ones. */
  columns: (Column & { samples: SqlCell[] })[];
  rows: number;
}

/** `tables` are those that the statement reads, `checks` what it passed; or the rule that it breaks, and how. */
export type Checked =
  | { ok: true; tables: string[]; checks: string[] }
  | { ok: false; rule: string; reason: string };

export interface Cut {
  /** Rows, bytes of all rows, or characters of a cell. */
  limit: 'rows' | 'bytes' | 'cells';
  at: number;
}

export interface QueryResult {
  /** No two have the same name. */
  columns: Column[];
  rows: { [column: string]: SqlCell }[];
  /** Of the rows that are here. */
  rowCount: number;
  /** There are more rows than these. */
  truncated: boolean;
  /** Which limits have cut rows or cells off, where some have; a cell that was cut ends in `…`. */
  cuts?: Cut[];
  durationMs: number;
}

export interface SaveTarget {
  /** A path where no file is yet. */
  file: string;
  format: 'csv' | 'parquet';
}

export interface Saved {
  rows: number;
  cuts: Cut[];
}

/**
 * Every method may throw DATABASE_CONNECTION_FAILED, OVERLOADED, or the reason of its signal; `tables` NO_TABLES_FOUND
 * if there is none and SQL_EXECUTION_FAILED where it cannot read them; the others a SqlError.
 */
export interface SqlEngine {
  readonly dialect: 'duckdb' | 'postgres' | 'mysql' | 'mssql';
  tables(signal?: AbortSignal): Promise<Table[]>;
  check(sql: string, signal?: AbortSignal): Promise<Checked>;
  /** Runs the check itself: nothing unchecked is ever run. */
  query(sql: string, signal?: AbortSignal): Promise<QueryResult>;
  /** The same, but writes whole rows to a file: as many as the engine's bounds and 256 MiB allow. */
  save(sql: string, target: SaveTarget, signal?: AbortSignal): Promise<Saved>;
  close(): Promise<void>;
}

export interface SqlFailure {
  /** The guard refused it, the database did, it took too long, or too much memory or output. */
  kind: 'refused' | 'failed' | 'timeout' | 'limit';
  /** For whoever writes the next statement: what is wrong, without a path of the host. */
  reason: string;
  /** The guard's, where it refused. */
  rule?: string;
}

/**
 * A statement that gave no rows because of itself; another one may do. `instanceof` goes by the name: a project's SQL steps
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
