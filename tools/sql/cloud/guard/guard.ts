/**
 * Allows a single SELECT with allowed tables and functions. The original text is never run: the statement is rewritten from
 * what the parser has understood, which is known keywords, allowed functions, and names and texts in quotes. So comments,
 * encodings and constructs that a database would read differently than this parser never reach it.
 */
import { MAX_SQL } from '../../limits.ts';
import type { Refusal } from '../../refusal.ts';
import { expression, operand } from './expression.ts';
import { type Limit, readLimit } from './limit.ts';
import { type Catalog, fail, type Parse, peek, skip } from './parse.ts';
import { body, query } from './query.ts';
import { quoted, Refused } from './refused.ts';
import type { Syntax } from './syntax.ts';
import { tokensOf } from './tokens.ts';

export interface Allowed {
  ok: true;
  tables: string[];
  checks: string[];
  /** The statement to run, without its limit. */
  text: string;
  limit: Limit;
}

const CHECKS = ['one_statement', 'select_only', 'tables_allowed', 'functions_allowed'];

export function checkSql(sql: string, catalog: Catalog, syntax: Syntax): Allowed | ({ ok: false } & Refusal) {
  try {
    return allowed(sql, catalog, syntax);
  } catch (error) {
    if (error instanceof Refused) return { ok: false, ...error.refusal };
    throw error;
  }
}

function allowed(sql: string, catalog: Catalog, syntax: Syntax): Allowed {
  if (sql.length > MAX_SQL)
    throw new Refused('too_long', `The statement is longer than ${MAX_SQL} characters`);
  const parse = newParse(sql, catalog, syntax);
  if (peek(parse).kind === 'end' || peek(parse).value === ';')
    throw new Refused('no_statement', 'The statement is empty: write one SELECT');
  const limit = readLimit(body(parse));
  while (peek(parse).kind === 'sign' && peek(parse).value === ';') skip(parse);
  if (peek(parse).kind !== 'end') refuseRest(parse);
  if (syntax.knownColumnsOnly) refuseUnknownColumns(parse);
  return { ok: true, tables: [...parse.found].sort(), checks: CHECKS, text: parse.out.join(' '), limit };
}

function newParse(sql: string, catalog: Catalog, syntax: Syntax): Parse {
  return {
    grammar: { query, expression, operand },
    syntax,
    catalog,
    scope: new Set(),
    found: new Set(),
    given: new Set(),
    read: new Set(),
    out: [],
    tokens: tokensOf(sql, syntax),
    counts: { at: 0, depth: 0, repeats: 0 },
  };
}

function refuseRest(parse: Parse): never {
  const before = parse.tokens[parse.counts.at - 1];
  if (before?.kind === 'sign' && before.value === ';')
    throw new Refused('one_statement', 'Only one statement is allowed: write one SELECT');
  return fail(parse);
}

// PostgreSQL's name of an unnamed column.
const UNNAMED = /^(case|array|row|exists|extract|interval|date|time|timestamp|ordinality|column\d+)$/;

function refuseUnknownColumns({ read, given, catalog, syntax }: Parse): void {
  for (const name of read) {
    if (catalog.columns.has(name) || given.has(name) || UNNAMED.test(name)) continue;
    if (syntax.types.has(name.toUpperCase())) continue;
    throw new Refused('invalid_sql', `There is no column ${quoted(name)} in the tables of the schema`);
  }
}
