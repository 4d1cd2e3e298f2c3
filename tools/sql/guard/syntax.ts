/** What the guard knows of a dialect: how its text is read and written, and the names that it lets through. */

export interface Syntax {
  /** `--` begins a comment only before white space, `#` begins one, block comments do not nest. */
  mysqlComments: boolean;
  /** A backslash in a string takes the next character with it. */
  backslashes: boolean;
  /** Characters that begin and end a text. */
  textQuotes: string;
  /** By the character that begins a quoted name, the one that ends it. */
  nameQuotes: Readonly<Record<string, string>>;
  /** Longer ones before those that they begin with. */
  signs: readonly string[];
  /** What stands between two operands; the signs among them are in `signs`. */
  operators: ReadonlySet<string>;
  /** What a name without quotes means. */
  fold(name: string): string;
  /** Whether `a` and `b` name the same table. */
  sameName(a: string, b: string): boolean;
  writeName(name: string): string;
  writeText(text: string): string;
  /** As it stands before its parenthesis. */
  writeFunction(name: string): string;
  /** Lower case. */
  functions: ReadonlySet<string>;
  tableFunctions: ReadonlySet<string>;
  /** By function the place, from 0, of the argument that says how long the value becomes. */
  lengthArguments: ReadonlyMap<string, number>;
  /** Functions whose first argument is a unit such as MONTH. */
  unitFirst: ReadonlySet<string>;
  /** Functions without parentheses, upper case. */
  bare: ReadonlySet<string>;
  /** Upper case, the first word of each. */
  types: ReadonlySet<string>;
  /** Schemas and prefixes of tables that describe the server. */
  catalogs: RegExp;
  /** A column must be one of a table or named in the statement: else `row.name` would call a function. */
  knownColumnsOnly: boolean;
}

export function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}
