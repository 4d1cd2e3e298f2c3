/** The guard's view of a database, and name comparison. */

/** The contents of the database file. Names are lower-cased with `lowerCase`. */
export interface Catalog {
  /** The database's own name, which may precede `main`. */
  name: string;
  /** Base tables of the main schema, by their lower-cased names. */
  tables: ReadonlyMap<string, string>;
  /** Functions that the file defines: they would replace DuckDB's own of the same name. */
  macros: ReadonlySet<string>;
  /** All schemas, lower-cased: an unknown qualifier of a function is a column. */
  schemas: ReadonlySet<string>;
  /** Our table in the temporary database that replaces information_schema.columns, if that may be read. */
  columnsTable?: string;
}

export type Node = Record<string, unknown>;

/** Compares like DuckDB: folds only ASCII letters, so that no other letter passes for one. */
export function lowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function isAmong(name: unknown, names: readonly string[]): boolean {
  return typeof name === 'string' && names.includes(lowerCase(name));
}
