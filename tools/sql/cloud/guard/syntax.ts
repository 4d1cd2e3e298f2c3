/** A dialect for the guard: how statements are read and written, and the allowed names. */

export interface Syntax {
  /** `--` only begins a comment before white space, `#` also begins one, and block comments do not nest. */
  mysqlComments: boolean;
  /** A backslash in a string escapes the next character. */
  backslashes: boolean;
  /** Characters that begin and end a text. */
  textQuotes: string;
  /** Maps the character that opens a quoted name to the one that closes it. */
  nameQuotes: Readonly<Record<string, string>>;
  /** Longer signs come before their prefixes. */
  signs: readonly string[];
  /** Binary operators. Those that are signs are also in `signs`. */
  operators: ReadonlySet<string>;
  /** The name that an unquoted name stands for. */
  fold(name: string): string;
  /** Whether `a` and `b` name the same table. */
  sameName(a: string, b: string): boolean;
  writeName(name: string): string;
  writeText(text: string): string;
  /** The function's name as it is written before the parenthesis. */
  writeFunction(name: string): string;
  /** In lower case. */
  functions: ReadonlySet<string>;
  tableFunctions: ReadonlySet<string>;
  /** For each function, the position of the argument that determines the value's length, from 0. */
  lengthArguments: ReadonlyMap<string, number>;
  /** Functions whose first argument is a unit such as MONTH. */
  unitFirst: ReadonlySet<string>;
  /** Functions without parentheses, in upper case. */
  bare: ReadonlySet<string>;
  /** The first word of each type, in upper case. */
  types: ReadonlySet<string>;
  /** Matches schemas and prefixes of tables that describe the server. */
  catalogs: RegExp;
  /** Whether a column must belong to a table or be defined in the statement. Otherwise, `row.name` could call a function. */
  knownColumnsOnly: boolean;
}

export function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}
