/** Splits a statement into words, names, texts, numbers and signs. Drops comments. */
import { Refused } from './refused.ts';
import type { Syntax } from './syntax.ts';

export interface Token {
  /** A word is unquoted, and may be a keyword or a name. Names and texts were quoted. */
  kind: 'word' | 'name' | 'text' | 'number' | 'sign' | 'end';
  /** Without quotes, and with resolved escapes. */
  value: string;
}

const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n\f\v]+/y;
// Prefixes that change the meaning of the following text, as in E'\n' and X'ff'.
const TEXT_PREFIX = /^(?:e|b|x|u|_[a-z0-9]+)$/i;

export function tokensOf(sql: string, syntax: Syntax): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sql.length) {
    const blank = matchAt(SPACE, sql, at) ?? commentAt(sql, at, syntax);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const { token, end } = tokenAt(sql, at, syntax);
    refuseJoined(tokens.at(-1), token, sql[at - 1] ?? ' ');
    tokens.push(token);
    at = end;
  }
  return [...tokens, { kind: 'end', value: 'the end' }];
}

interface Found {
  token: Token;
  end: number;
}

function tokenAt(sql: string, at: number, syntax: Syntax): Found {
  const first = sql[at] ?? '';
  if (syntax.textQuotes.includes(first)) return quotedAt(sql, at, { kind: 'text', close: first, syntax });
  // Standard SQL's text in the national character set is normal text in every dialect.
  if (/^n'/i.test(sql.slice(at, at + 2))) return quotedAt(sql, at + 1, { kind: 'text', close: "'", syntax });
  const close = syntax.nameQuotes[first];
  if (close) return quotedAt(sql, at, { kind: 'name', close, syntax });
  const word = matchAt(WORD, sql, at);
  if (word !== undefined) return { token: { kind: 'word', value: word }, end: at + word.length };
  const number = matchAt(NUMBER, sql, at);
  if (number !== undefined) return { token: { kind: 'number', value: number }, end: at + number.length };
  // No rule accepts a sign that is not in the dialect, so the parser reports it.
  const sign =
    syntax.signs.find((each) => sql.startsWith(each, at)) ?? String.fromCodePoint(sql.codePointAt(at) ?? 0);
  return { token: { kind: 'sign', value: sign }, end: at + sign.length };
}

/** Rejects ambiguous syntax, such as `1a` and `E'…'`, which databases read differently. */
function refuseJoined(before: Token | undefined, token: Token, character: string): void {
  if (!before || /\s|\//.test(character)) return;
  if (before.kind === 'number' && (token.kind === 'word' || token.kind === 'number'))
    throw new Refused(
      'unknown_syntax',
      `This syntax is not allowed: ${before.value}${token.value.slice(0, 20)}`,
    );
  if (before.kind === 'word' && token.kind === 'text' && TEXT_PREFIX.test(before.value))
    throw new Refused('unknown_syntax', `Write a plain text instead of ${before.value}'…'`);
  if (before.kind === token.kind && (token.kind === 'text' || token.kind === 'name'))
    throw new Refused('unknown_syntax', 'Two quoted texts stand next to each other');
}

function quotedAt(
  sql: string,
  start: number,
  { kind, close, syntax }: { kind: 'text' | 'name'; close: string; syntax: Syntax },
): Found {
  let value = '';
  for (let at = start + 1; at < sql.length; at++) {
    const character = sql[at] ?? '';
    if (character === '\0') break;
    if (kind === 'text' && character === '\\' && syntax.backslashes) {
      value += unescaped(sql[++at] ?? '');
    } else if (character !== close) value += character;
    else if (sql[at + 1] === close) value += sql[at++];
    else if (value === '' && kind === 'name') break;
    else return { token: { kind, value }, end: at + 1 };
  }
  throw new Refused('syntax_error', `Syntax error: a quoted ${kind} does not end`);
}

const ESCAPES: Record<string, string> = { b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a' };

/** As in MySQL, `\%` and `\_` keep the backslash, for LIKE. */
function unescaped(character: string): string {
  if (character === '0') throw new Refused('unknown_syntax', 'A text must not hold the character 0');
  return '%_'.includes(character) && character ? `\\${character}` : (ESCAPES[character] ?? character);
}

function commentAt(sql: string, at: number, { mysqlComments }: Syntax): string | undefined {
  const line = mysqlComments ? /(?:#|--(?=[\s]|$))[^\n]*/y : /--[^\r\n]*/y;
  const found = matchAt(line, sql, at);
  if (found !== undefined) return found;
  if (!sql.startsWith('/*', at)) return undefined;
  if (/^\/\*(?:!|M!|\+)/i.test(sql.slice(at, at + 4)))
    throw new Refused('unknown_syntax', 'Comments that are run or give hints are not allowed');
  return blockComment(sql, at, !mysqlComments);
}

function blockComment(sql: string, start: number, nests: boolean): string {
  let depth = 1;
  for (let at = start + 2; at < sql.length; at++) {
    const two = sql.slice(at, at + 2);
    if (two === '*/' || (two === '/*' && nests)) {
      depth += two === '*/' ? -1 : 1;
      at++;
      if (depth === 0) return sql.slice(start, at + 1);
    }
  }
  throw new Refused('syntax_error', 'Syntax error: a comment does not end');
}

function matchAt(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0];
}
