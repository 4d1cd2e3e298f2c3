/** The interface of each driver for reading or writing a whole database, used by copies and checks. */
import type { Table } from './tables.ts';

export type Value = string | number | null | Uint8Array;
export type Row = Record<string, Value>;

export interface Selection {
  /** This, `from` and `order` are the clauses SELECT, FROM and ORDER BY. Get the names of tables from `Reading.table`. */
  columns: string;
  from: string;
  order: string;
}

/** One snapshot of the database. */
export interface Reading {
  driver: 'sqlite' | 'postgres';
  /** The qualified name of a table. */
  table(name: string): string;
  /** Streams rows in slices of limited size. */
  select(selection: Selection): AsyncIterable<Row[]>;
  /** The highest number that the table has assigned to a row; 0 if it has assigned none. */
  highest(table: Table): Promise<number>;
}

/** One transaction, whose reads see its own writes. */
export interface Writing extends Reading {
  /** The argument of `leaveMark` of an earlier copy. */
  mark(): Promise<string | undefined>;
  /** Deletes the rows of all tables. */
  clear(): Promise<void>;
  insert(table: Table, rows: Row[]): Promise<void>;
  /** Makes the table assign numbers above `highest` from now on. */
  raise(table: Table, highest: number): Promise<void>;
  leaveMark(mark: string): Promise<void>;
}

export interface Store {
  read<T>(work: (reading: Reading) => Promise<T>): Promise<T>;
  /** Creates missing tables. Throws CONFIGURATION_ERROR if a service is using the database. */
  write<T>(work: (writing: Writing) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The maximum size of a slice. */
export const SLICE = { rows: 1_000, characters: 1_000_000 };

export function charactersOf(row: Row): number {
  let characters = 0;
  for (const value of Object.values(row))
    characters +=
      typeof value === 'object' ? (value?.length ?? 0) : typeof value === 'string' ? value.length : 8;
  return characters;
}
