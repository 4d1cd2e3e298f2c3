/** The state of a parse: the remaining tokens, the findings, and the rewritten statement. */
import { Refused } from './refused.ts';
import type { Syntax } from './syntax.ts';
import type { Token } from './tokens.ts';

/** The tables and columns that a login can read. */
export interface Catalog {
  /** Allowed qualifiers of a table's name, nearest last: the database, the schema. */
  path: readonly string[];
  tables: readonly string[];
  /** The columns of all tables. */
  columns: ReadonlySet<string>;
}

/** The parsers of queries and expressions call each other through this object, to avoid circular imports. */
interface Grammar {
  query(parse: Parse): void;
  expression(parse: Parse): void;
  /** An operand without operators after it. */
  operand(parse: Parse): void;
}

export interface Parse {
  readonly grammar: Grammar;
  readonly syntax: Syntax;
  readonly catalog: Catalog;
  /** The names of the common table expressions in scope. */
  readonly scope: ReadonlySet<string>;
  /** Collects the tables that are read. */
  readonly found: Set<string>;
  /** Collects the names that the statement defines. */
  readonly given: Set<string>;
  /** Collects the columns that the statement reads, without their qualifiers. */
  readonly read: Set<string>;
  /** The pieces of the rewritten statement: known keywords, quoted names and quoted texts. */
  readonly out: string[];
  readonly tokens: readonly Token[];
  readonly counts: { at: number; depth: number; repeats: number };
}

// A level of an expression takes about six stack frames.
const MAX_DEPTH = 60;

export function peek({ tokens, counts }: Parse, ahead = 0): Token {
  return tokens[Math.min(counts.at + ahead, tokens.length - 1)] ?? { kind: 'end', value: '' };
}

/** Whether the next token is one of these keywords, which must be in upper case. */
export function isWord(parse: Parse, keywords: readonly string[], ahead = 0): boolean {
  const { kind, value } = peek(parse, ahead);
  return kind === 'word' && keywords.includes(value.toUpperCase());
}

export function isSign(parse: Parse, sign: string, ahead = 0): boolean {
  const { kind, value } = peek(parse, ahead);
  return kind === 'sign' && value === sign;
}

export function skip({ counts }: Parse): void {
  counts.at++;
}

/** Skips and writes one of these keywords. Returns whether there was one. */
export function takeWord(parse: Parse, ...keywords: string[]): boolean {
  if (!isWord(parse, keywords)) return false;
  parse.out.push(peek(parse).value.toUpperCase());
  skip(parse);
  return true;
}

export function takeSign(parse: Parse, sign: string): boolean {
  if (!isSign(parse, sign)) return false;
  parse.out.push(sign);
  skip(parse);
  return true;
}

export function needWord(parse: Parse, ...keywords: string[]): void {
  if (!takeWord(parse, ...keywords)) fail(parse);
}

export function needSign(parse: Parse, sign: string): void {
  if (!takeSign(parse, sign)) fail(parse);
}

/** Parses a comma-separated list. */
export function list(parse: Parse, item: () => void): void {
  do item();
  while (takeSign(parse, ','));
}

export function inParentheses(parse: Parse, inner: () => void): void {
  needSign(parse, '(');
  inner();
  needSign(parse, ')');
}

export function deeper(parse: Parse, inner: () => void): void {
  if (++parse.counts.depth > MAX_DEPTH)
    throw new Refused('too_nested', 'The statement is nested too deeply: simplify it');
  inner();
  parse.counts.depth--;
}

const WRITES =
  `INTO FOR LOCK OUTFILE DUMPFILE PROCEDURE INSERT UPDATE DELETE MERGE REPLACE CREATE DROP ALTER TRUNCATE
  GRANT REVOKE SET DO CALL EXEC EXECUTE EXPLAIN`.split(/\s+/);

/** Throws the error for a next token that the guard doesn't know. */
export function fail(parse: Parse): never {
  const { kind, value } = peek(parse);
  if (isWord(parse, WRITES))
    throw new Refused('select_only', `Only one plain SELECT is allowed, without ${value.toUpperCase()}`);
  if (kind === 'sign' && value === ';')
    throw new Refused('one_statement', 'Only one statement is allowed: write one SELECT');
  const where =
    kind === 'end' ? 'the statement ends too early' : `near ${JSON.stringify(value.slice(0, 60))}`;
  throw new Refused('unknown_syntax', `This syntax is not known, or not allowed: ${where}`);
}
