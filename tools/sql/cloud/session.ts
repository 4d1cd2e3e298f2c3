/** A connection to a database server: one read-only transaction at a time, always rolled back. */
import type { Column, SqlCell } from '../engine.ts';
import type { Limit } from '../guard/limit.ts';
import type { Syntax } from '../guard/syntax.ts';
import type { Target } from './target.ts';

export interface Answer {
  columns: Column[];
  rows: SqlCell[][];
}

/** A statement that the guard has rewritten, without its limit. */
export interface Selection {
  text: string;
  limit: Limit;
  /** Maximum characters per cell. */
  size: number;
}

// Maximum characters of a result while it is fetched.
const MAX_FETCHED = 8_000_000;
const MIN_CELL = 100;

/** For this many columns: a wide and long result has shorter cells. */
export function cellSize({ limit, size }: Selection, columns: number): number {
  const room = Math.floor(MAX_FETCHED / (limit.count + 1) / Math.max(1, columns));
  return Math.min(size, Math.max(MIN_CELL, room));
}

export interface ListedTable {
  name: string;
  /** The server's estimate; undefined without one. */
  rows: number | undefined;
  columns: Column[];
}

/** A table of the login's default schema. */
export interface Listing {
  /** Allowed qualifiers of a table's name, nearest last. */
  path: string[];
  tables: ListedTable[];
}

export interface Session {
  /** Connects if necessary; then the server cancels statements that exceed the timeout. */
  begin(ms: number): Promise<void>;
  list(): Promise<Listing>;
  /** Its columns, without its rows. */
  describe(selection: Selection): Promise<Column[]>;
  select(selection: Selection): Promise<Answer>;
  /** The first rows of one of our own SELECTs. */
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
