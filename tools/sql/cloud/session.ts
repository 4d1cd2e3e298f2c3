/** One connection to a database server, as the engine uses it: a read-only transaction at a time, always rolled back. */
import type { Column, SqlCell } from '../engine.ts';
import type { Limit } from '../guard/limit.ts';
import type { Syntax } from '../guard/syntax.ts';
import type { Target } from './target.ts';

export interface Answer {
  columns: Column[];
  rows: SqlCell[][];
}

/** A statement that the guard has written anew, but for its limit. */
export interface Selection {
  text: string;
  limit: Limit;
  /** Characters of a cell at most. */
  size: number;
}

// Characters that a result may have while it is fetched.
const MAX_FETCHED = 8_000_000;
const MIN_CELL = 100;

/** Of so many columns: a wide and long result has shorter cells. */
export function cellSize({ limit, size }: Selection, columns: number): number {
  const room = Math.floor(MAX_FETCHED / (limit.count + 1) / Math.max(1, columns));
  return Math.min(size, Math.max(MIN_CELL, room));
}

export interface ListedTable {
  name: string;
  /** The server's guess; undefined where it has none. */
  rows: number | undefined;
  columns: Column[];
}

/** Of the login's default schema. */
export interface Listing {
  /** What may stand before a table's name, the nearest last. */
  path: string[];
  tables: ListedTable[];
}

export interface Session {
  /** Connects where needed; from here on a statement that takes longer is ended by the server. */
  begin(ms: number): Promise<void>;
  list(): Promise<Listing>;
  /** Its columns, without its rows. */
  describe(selection: Selection): Promise<Column[]>;
  select(selection: Selection): Promise<Answer>;
  /** The first rows of a SELECT of ours. */
  bounded(text: string, rows: number): string;
  rollback(): Promise<void>;
  /** Asks the server to end what runs and drops the connection. Never throws. */
  stop(): void;
}

/** What a kind of database server is to the engine. */
export interface CloudDriver {
  syntax: Syntax;
  /** Connects at the first `begin`. */
  open(target: Target): Session;
}
