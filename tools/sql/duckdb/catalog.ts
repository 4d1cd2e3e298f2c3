/** What the guard knows of a database, and how names are compared with it. */

/** What the database file holds. Names are lower-cased with `lowerCase`. */
export interface Catalog {
  /** The database's own name, which may stand before `main`. */
  name: string;
  /** Base tables of the main schema, by their lower-cased names. */
  tables: ReadonlyMap<string, string>;
  /** Functions that the file defines: they would stand in for DuckDB's own of the same name. */
  macros: ReadonlySet<string>;
  /** All schemas, lower-cased: what stands before a function and is none of them is a column. */
  schemas: ReadonlySet<string>;
  /** The table of ours in the temporary database that stands in for information_schema.columns, where it may be read. */
  columnsTable?: string;
}

export type Node = Record<string, unknown>;

/** As DuckDB compares names: letters of ASCII only, so that no other letter passes for one of them. */
export function lowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function isAmong(name: unknown, names: readonly string[]): boolean {
  return typeof name === 'string' && names.includes(lowerCase(name));
}
