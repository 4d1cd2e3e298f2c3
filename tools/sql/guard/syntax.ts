/** A dialect for the guard: how its text is read and written, and the allowed names. */

export interface Syntax {
  /** `--` begins a comment only before white space, `#` begins one, block comments do not nest. */
  mysqlComments: boolean;
  /** A backslash in a string escapes the next character. */
  backslashes: boolean;
  /** Characters that begin and end a text. */
  textQuotes: string;
  /** Maps the character that opens a quoted name to the one that closes it. */
  nameQuotes: Readonly<Record<string, string>>;
  /** Longer ones before their prefixes. */
  signs: readonly string[];
  /** Binary operators; those that are signs are also in `signs`. */
  operators: ReadonlySet<string>;
  /** The meaning of an unquoted name. */
  fold(name: string): string;
  /** Whether `a` and `b` name the same table. */
  sameName(a: string, b: string): boolean;
  writeName(name: string): string;
  writeText(text: string): string;
  /** How it is written before its parenthesis. */
  writeFunction(name: string): string;
  /** Lower case. */
  functions: ReadonlySet<string>;
  tableFunctions: ReadonlySet<string>;
  /** By function, the position, from 0, of the argument that determines the value's length. */
  lengthArguments: ReadonlyMap<string, number>;
  /** Functions whose first argument is a unit such as MONTH. */
  unitFirst: ReadonlySet<string>;
  /** Functions without parentheses, upper case. */
  bare: ReadonlySet<string>;
  /** Upper case, the first word of each. */
  types: ReadonlySet<string>;
  /** Schemas and prefixes of tables that describe the server. */
  catalogs: RegExp;
  /** A column must belong to a table or be defined in the statement: otherwise `row.name` would call a function. */
  knownColumnsOnly: boolean;
}

export function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}
