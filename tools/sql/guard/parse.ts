/** The state of one parse: the tokens that are left, what was found, and the statement as it is written anew. */
import { Refused } from './refused.ts';
import type { Syntax } from './syntax.ts';
import type { Token } from './tokens.ts';

/** What a login can read. */
export interface Catalog {
  /** What may stand before a table's name, the nearest last: the database, the schema. */
  path: readonly string[];
  tables: readonly string[];
  /** Of all tables. */
  columns: ReadonlySet<string>;
}

/** The two that call each other, through here so that no file imports in a circle. */
export interface Grammar {
  query(parse: Parse): void;
  expression(parse: Parse): void;
  /** One without operators after it. */
  operand(parse: Parse): void;
}

export interface Parse {
  readonly grammar: Grammar;
  readonly syntax: Syntax;
  readonly catalog: Catalog;
  /** Names of the common table expressions that can be seen here. */
  readonly scope: ReadonlySet<string>;
  /** Collects the tables that are read. */
  readonly found: Set<string>;
  /** Collects the names that the statement gives. */
  readonly given: Set<string>;
  /** Collects the last parts of the columns that it reads. */
  readonly read: Set<string>;
  /** Pieces of the statement as it will run: keywords that this parser knows, quoted names, quoted texts. */
  readonly out: string[];
  readonly tokens: readonly Token[];
  readonly counts: { at: number; depth: number; repeats: number };
}

// A level of an expression is about six of the stack.
const MAX_DEPTH = 60;

export function peek({ tokens, counts }: Parse, ahead = 0): Token {
  return tokens[Math.min(counts.at + ahead, tokens.length - 1)] ?? { kind: 'end', value: '' };
}

/** Whether the next token is one of these keywords, given in upper case. */
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

/** Goes past one of these keywords and writes it. */
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

/** Things with commas between them. */
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
    throw new Refused('too_nested', 'The statement is nested too deeply: write it in simpler steps');
  inner();
  parse.counts.depth--;
}

const WRITES =
  `INTO FOR LOCK OUTFILE DUMPFILE PROCEDURE INSERT UPDATE DELETE MERGE REPLACE CREATE DROP ALTER TRUNCATE
  GRANT REVOKE SET DO CALL EXEC EXECUTE EXPLAIN`.split(/\s+/);

/** What stands here is nothing that the guard knows. */
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
