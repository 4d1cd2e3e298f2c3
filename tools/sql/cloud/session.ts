/** A connection to a database server. Runs one read-only transaction at a time, which is always rolled back. */
import type { Column, SqlCell } from '../engine.ts';
import type { Limit } from './guard/limit.ts';
import type { Syntax } from './guard/syntax.ts';
import type { Target } from './target.ts';

export interface Answer {
  columns: Column[];
  rows: SqlCell[][];
}

/** A statement that the guard has rewritten, without its limit. */
export interface Selection {
  text: string;
  limit: Limit;
  /** The maximum number of characters per cell. */
  size: number;
}

// The maximum number of characters of a result while it is fetched.
const MAX_FETCHED = 8_000_000;
const MIN_CELL = 100;

/** The maximum number of characters per cell in a result with this many columns. Wide and long results have shorter cells. */
export function cellSize({ limit, size }: Selection, columns: number): number {
  const room = Math.floor(MAX_FETCHED / (limit.count + 1) / Math.max(1, columns));
  return Math.min(size, Math.max(MIN_CELL, room));
}

export interface ListedTable {
  name: string;
  /** The server's estimate of the number of rows; undefined if it has none. */
  rows: number | undefined;
  columns: Column[];
}

/** The tables of the login's default schema. */
export interface Listing {
  /** Allowed qualifiers of a table's name, nearest last. */
  path: string[];
  tables: ListedTable[];
}

export interface Session {
  /** Begins a transaction, and connects before if necessary. The server cancels statements that exceed the timeout. */
  begin(ms: number): Promise<void>;
  list(): Promise<Listing>;
  /** The columns of the result, without its rows. */
  describe(selection: Selection): Promise<Column[]>;
  select(selection: Selection): Promise<Answer>;
  /** Limits one of the service's own SELECTs to the first rows. */
  bounded(text: string, rows: number): string;
  rollback(): Promise<void>;
  /** Asks the server to cancel the running statement, and drops the connection. Never throws. */
  stop(): void;
}

/** The driver of one kind of database server. */
export interface CloudDriver {
  syntax: Syntax;
  /** Connects at the first `begin`. */
  open(target: Target): Session;
}
