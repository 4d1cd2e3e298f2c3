/** The guard's view of a database, and the comparison of names. */

/** The contents of the database file. Names are lower-cased with `lowerCase`. */
export interface Catalog {
  /** The database's own name, which may precede `main`. */
  name: string;
  /** Base tables of the main schema, by their lower-cased names. */
  tables: ReadonlyMap<string, string>;
  /** Functions that the file defines. They would replace DuckDB's functions of the same name. */
  macros: ReadonlySet<string>;
  /** All schemas, lower-cased. A qualifier of a function that is not among them is a column. */
  schemas: ReadonlySet<string>;
  /** The table in the temporary database that replaces information_schema.columns; undefined before it is created. */
  columnsTable?: string;
}

export type Node = Record<string, unknown>;

/** Like DuckDB, only lower-cases ASCII letters, so that no other letter becomes one of them. */
export function lowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function isAmong(name: unknown, names: readonly string[]): boolean {
  return typeof name === 'string' && names.includes(lowerCase(name));
}
