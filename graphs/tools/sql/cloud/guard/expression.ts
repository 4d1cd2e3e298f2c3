/** Expressions: operands and what may stand between them. Which binds closer is left to the database: nothing is moved. */
import { call, isCall } from './call.ts';
import { isName, takeColumn, takeNumber, takeText } from './names.ts';
import {
  deeper,
  fail,
  inParentheses,
  isSign,
  isWord,
  list,
  needSign,
  needWord,
  type Parse,
  peek,
  skip,
  takeSign,
  takeWord,
} from './parse.ts';
import { takeType } from './type-name.ts';

export function expression(parse: Parse): void {
  deeper(parse, () => {
    operand(parse);
    for (;;) {
      if (suffix(parse)) continue;
      if (!operator(parse)) return;
      operand(parse);
    }
  });
}

/** What needs nothing after it. */
function suffix(parse: Parse): boolean {
  if (isSign(parse, '::') && parse.syntax.operators.has('::')) {
    takeSign(parse, '::');
    takeType(parse);
    return true;
  }
  if (isSign(parse, '[') && parse.syntax.operators.has('[')) {
    subscript(parse);
    return true;
  }
  if (!isWord(parse, ['IS'])) return false;
  takeWord(parse, 'IS');
  takeWord(parse, 'NOT');
  if (takeWord(parse, 'NULL', 'TRUE', 'FALSE', 'UNKNOWN')) return true;
  needWord(parse, 'DISTINCT');
  needWord(parse, 'FROM');
  operand(parse);
  return true;
}

function subscript(parse: Parse): void {
  needSign(parse, '[');
  parse.grammar.expression(parse);
  if (takeSign(parse, ':')) parse.grammar.expression(parse);
  needSign(parse, ']');
}

function operator(parse: Parse): boolean {
  const { kind, value } = peek(parse);
  const { operators } = parse.syntax;
  if (kind === 'sign')
    return value !== '::' && value !== '[' && operators.has(value) && takeSign(parse, value);
  if (takeWord(parse, 'AND', 'OR', 'ESCAPE')) return true;
  if (isWord(parse, ['NOT']) && isWord(parse, MATCHES, 1)) takeWord(parse, 'NOT');
  if (isWord(parse, MATCHES)) return matching(parse);
  if (isWord(parse, ['AT']) && isWord(parse, ['TIME'], 1)) return takeAll(parse, 'AT', 'TIME', 'ZONE');
  return kind === 'word' && operators.has(value.toUpperCase()) && takeWord(parse, value.toUpperCase());
}

const MATCHES = ['IN', 'LIKE', 'ILIKE', 'BETWEEN', 'REGEXP', 'RLIKE', 'SIMILAR'];

function matching(parse: Parse): boolean {
  if (takeWord(parse, 'SIMILAR')) needWord(parse, 'TO');
  else if (takeWord(parse, 'BETWEEN')) takeWord(parse, 'SYMMETRIC');
  else takeWord(parse, ...MATCHES);
  return true;
}

function takeAll(parse: Parse, ...keywords: string[]): true {
  for (const keyword of keywords) needWord(parse, keyword);
  return true;
}

export function operand(parse: Parse): void {
  while (takeWord(parse, 'NOT') || ['-', '+', '~'].some((sign) => takeSign(parse, sign)));
  const { kind } = peek(parse);
  if (kind === 'number') takeNumber(parse);
  else if (kind === 'text') takeText(parse);
  else if (isSign(parse, '(')) parenthesised(parse);
  else if (keyword(parse)) return;
  else if (isCall(parse)) call(parse);
  else if (kind === 'word' && parse.syntax.bare.has(peek(parse).value.toUpperCase())) bare(parse);
  else if (isName(parse)) takeColumn(parse);
  else fail(parse);
}

function bare(parse: Parse): void {
  parse.out.push(peek(parse).value.toUpperCase());
  skip(parse);
}

/** A sub-query, an expression, or a row of them. */
function parenthesised(parse: Parse): void {
  inParentheses(parse, () => {
    if (beginsQuery(parse)) parse.grammar.query(parse);
    else list(parse, () => parse.grammar.expression(parse));
  });
}

/** Behind any number of parentheses. */
export function beginsQuery(parse: Parse): boolean {
  let ahead = 0;
  while (isSign(parse, '(', ahead)) ahead++;
  return isWord(parse, ['SELECT', 'WITH', 'VALUES'], ahead);
}

function keyword(parse: Parse): boolean {
  if (takeWord(parse, 'NULL', 'TRUE', 'FALSE')) return true;
  if (isWord(parse, ['CASE'])) return cases(parse);
  if (isSign(parse, '(', 1)) {
    if (takeWord(parse, 'EXISTS', 'ANY', 'ALL', 'SOME')) return inner(() => parenthesised(parse));
    if (isWord(parse, ['CAST', 'TRY_CAST'])) return cast(parse);
    if (isWord(parse, ['EXTRACT'])) return extract(parse);
  }
  if (isSign(parse, '[', 1) && takeWord(parse, 'ARRAY')) return array(parse);
  if (isWord(parse, ['DATE', 'TIME', 'TIMESTAMP']) && peek(parse, 1).kind === 'text')
    return takeWord(parse, 'DATE', 'TIME', 'TIMESTAMP') && inner(() => takeText(parse));
  return isWord(parse, ['INTERVAL']) && !isSign(parse, '.', 1) && interval(parse);
}

function inner(rest: () => void): true {
  rest();
  return true;
}

function cases(parse: Parse): true {
  needWord(parse, 'CASE');
  if (!isWord(parse, ['WHEN'])) parse.grammar.expression(parse);
  while (takeWord(parse, 'WHEN')) {
    parse.grammar.expression(parse);
    needWord(parse, 'THEN');
    parse.grammar.expression(parse);
  }
  if (takeWord(parse, 'ELSE')) parse.grammar.expression(parse);
  needWord(parse, 'END');
  return true;
}

function cast(parse: Parse): true {
  parse.out.push(`${peek(parse).value.toUpperCase()}(`);
  skip(parse);
  skip(parse);
  parse.grammar.expression(parse);
  needWord(parse, 'AS');
  takeType(parse);
  needSign(parse, ')');
  return true;
}

const FIELDS =
  `YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MICROSECOND MILLISECONDS MICROSECONDS DOW DOY ISODOW
  ISOYEAR EPOCH CENTURY DECADE MILLENNIUM TIMEZONE YEAR_MONTH DAY_HOUR`.split(/\s+/);

function extract(parse: Parse): true {
  parse.out.push('EXTRACT(');
  skip(parse);
  skip(parse);
  needWord(parse, ...FIELDS);
  needWord(parse, 'FROM');
  parse.grammar.expression(parse);
  needSign(parse, ')');
  return true;
}

function array(parse: Parse): true {
  needSign(parse, '[');
  if (!isSign(parse, ']')) list(parse, () => parse.grammar.expression(parse));
  needSign(parse, ']');
  return true;
}

/** PostgreSQL's text may do without a unit; MySQL's number may be any operand. */
function interval(parse: Parse): true {
  needWord(parse, 'INTERVAL');
  operand(parse);
  takeWord(parse, ...FIELDS);
  return true;
}
