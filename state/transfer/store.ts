/** A database that is read or written as a whole: what copies and checks ask of either driver. */
import type { Table } from './tables.ts';

export type Value = string | number | null | Uint8Array;
export type Row = Record<string, Value>;

export interface Selection {
  /** What follows SELECT, FROM and ORDER BY; names of tables come from `Reading.table`. */
  columns: string;
  from: string;
  order: string;
}

/** One moment of the database, whatever others write meanwhile. */
export interface Reading {
  driver: 'sqlite' | 'postgres';
  /** The table's name in statements. */
  table(name: string): string;
  /** Rows in slices, so that memory stays flat. */
  select(selection: Selection): AsyncIterable<Row[]>;
  /** The highest number that the table has given to a row; 0 where it gives none, or has given none yet. */
  highest(table: Table): Promise<number>;
}

/** One transaction, of which the target keeps all or nothing. It reads what it has written. */
export interface Writing extends Reading {
  /** What an earlier copy has left in the target. */
  mark(): Promise<string | undefined>;
  /** Deletes the rows of all tables. */
  clear(): Promise<void>;
  insert(table: Table, rows: Row[]): Promise<void>;
  /** Numbers that the table gives from now on are higher. */
  raise(table: Table, highest: number): Promise<void>;
  leaveMark(mark: string): Promise<void>;
}

export interface Store {
  read<T>(work: (reading: Reading) => Promise<T>): Promise<T>;
  /** The tables are made where they are missing. Throws CONFIGURATION_ERROR while somebody serves from it. */
  write<T>(work: (writing: Writing) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** As much as a slice may hold. */
export const SLICE = { rows: 1_000, characters: 1_000_000 };

export function charactersOf(row: Row): number {
  let characters = 0;
  for (const value of Object.values(row))
    characters +=
      typeof value === 'object' ? (value?.length ?? 0) : typeof value === 'string' ? value.length : 8;
  return characters;
}
