/** Expressions with a special syntax: parentheses, CASE, CAST, EXTRACT, EXISTS, ARRAY, INTERVAL, dates. */
import { takeText } from './names.ts';
import {
  inParentheses,
  isSign,
  isWord,
  list,
  needSign,
  needWord,
  type Parse,
  peek,
  skip,
  takeWord,
} from './parse.ts';
import { takeType } from './type-name.ts';

/** Parses a sub-query, an expression, or a row of expressions in parentheses. */
export function parenthesised(parse: Parse): void {
  inParentheses(parse, () => {
    if (beginsQuery(parse)) parse.grammar.query(parse);
    else list(parse, () => parse.grammar.expression(parse));
  });
}

/** Whether a query begins here, inside any number of parentheses. */
export function beginsQuery(parse: Parse): boolean {
  let ahead = 0;
  while (isSign(parse, '(', ahead)) ahead++;
  return isWord(parse, ['SELECT', 'WITH', 'VALUES'], ahead);
}

/** Returns whether there was a special form. */
export function specialForm(parse: Parse): boolean {
  if (takeWord(parse, 'NULL', 'TRUE', 'FALSE')) return true;
  if (isWord(parse, ['CASE'])) return cases(parse);
  if (isSign(parse, '(', 1)) {
    if (takeWord(parse, 'EXISTS', 'ANY', 'ALL', 'SOME')) return and(() => parenthesised(parse));
    if (isWord(parse, ['CAST', 'TRY_CAST'])) return cast(parse);
    if (isWord(parse, ['EXTRACT'])) return extract(parse);
  }
  if (isSign(parse, '[', 1) && takeWord(parse, 'ARRAY')) return array(parse);
  if (isWord(parse, ['DATE', 'TIME', 'TIMESTAMP']) && peek(parse, 1).kind === 'text')
    return takeWord(parse, 'DATE', 'TIME', 'TIMESTAMP') && and(() => takeText(parse));
  return isWord(parse, ['INTERVAL']) && !isSign(parse, '.', 1) && interval(parse);
}

function and(rest: () => void): true {
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

/** The text of PostgreSQL may have the unit inside. The number of MySQL may be any operand. */
function interval(parse: Parse): true {
  needWord(parse, 'INTERVAL');
  parse.grammar.operand(parse);
  takeWord(parse, ...FIELDS);
  return true;
}
