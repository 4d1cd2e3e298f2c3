/** Queries: WITH, SELECT, set operations, ORDER BY and limits. */
import { sources } from './from.ts';
import { limits } from './limit.ts';
import { takeAlias, takeColumnNames, takeName } from './names.ts';
import {
  deeper,
  fail,
  inParentheses,
  isSign,
  isWord,
  list,
  needWord,
  type Parse,
  takeSign,
  takeWord,
} from './parse.ts';
import { Refused } from './refused.ts';
import { orderBy, window } from './window.ts';

export function query(outer: Parse): void {
  const parse = body(outer);
  limits(parse);
}

/** Parses a query without its limit. Returns the scope for the limit. */
export function body(outer: Parse): Parse {
  let parse = outer;
  deeper(outer, () => {
    if (takeWord(parse, 'WITH')) parse = commonTables(parse);
    term(parse);
    while (takeWord(parse, 'UNION', 'EXCEPT', 'INTERSECT')) {
      takeWord(parse, 'ALL', 'DISTINCT');
      term(parse);
    }
    if (isWord(parse, ['ORDER'])) orderBy(parse);
  });
  return parse;
}

/** Each common table expression can use the ones before it. */
function commonTables(outer: Parse): Parse {
  if (isWord(outer, ['RECURSIVE']))
    throw new Refused('recursion_not_allowed', 'WITH RECURSIVE is not allowed: write it without');
  const scope = new Set(outer.scope);
  const parse = { ...outer, scope };
  list(parse, () => {
    const name = takeName(parse);
    parse.given.add(name);
    takeColumnNames(parse);
    needWord(parse, 'AS');
    if (isWord(parse, ['NOT', 'MATERIALIZED'])) {
      takeWord(parse, 'NOT');
      needWord(parse, 'MATERIALIZED');
    }
    // The name is not in scope yet, because in SQL Server, a reference to itself would be a recursion.
    inParentheses(parse, () => query({ ...parse, scope: new Set(scope) }));
    scope.add(name);
  });
  return parse;
}

function term(parse: Parse): void {
  if (isSign(parse, '(')) inParentheses(parse, () => query(parse));
  else if (takeWord(parse, 'VALUES')) list(parse, () => inParentheses(parse, () => row(parse)));
  else if (isWord(parse, ['SELECT'])) select(parse);
  else throw new Refused('select_only', 'Only one SELECT is allowed');
}

function row(parse: Parse): void {
  list(parse, () => parse.grammar.expression(parse));
}

function select(parse: Parse): void {
  needWord(parse, 'SELECT');
  if (takeWord(parse, 'DISTINCT')) {
    if (takeWord(parse, 'ON')) inParentheses(parse, () => row(parse));
  } else takeWord(parse, 'ALL');
  if (isWord(parse, ['TOP'])) top(parse);
  list(parse, () => item(parse));
  if (takeWord(parse, 'FROM')) sources(parse);
  if (takeWord(parse, 'WHERE')) parse.grammar.expression(parse);
  if (takeWord(parse, 'GROUP')) groups(parse);
  if (takeWord(parse, 'HAVING')) parse.grammar.expression(parse);
  if (takeWord(parse, 'WINDOW')) list(parse, () => namedWindow(parse));
}

function top(parse: Parse): void {
  if (!parse.syntax.operators.has('TOP')) return;
  needWord(parse, 'TOP');
  const inside = takeSign(parse, '(');
  parse.grammar.operand(parse);
  if (inside && !takeSign(parse, ')')) fail(parse);
  takeWord(parse, 'PERCENT');
  if (takeWord(parse, 'WITH')) needWord(parse, 'TIES');
}

function item(parse: Parse): void {
  if (takeSign(parse, '*')) return;
  parse.grammar.expression(parse);
  takeAlias(parse);
}

function groups(parse: Parse): void {
  needWord(parse, 'BY');
  list(parse, () => group(parse));
  if (takeWord(parse, 'WITH')) needWord(parse, 'ROLLUP');
}

function group(parse: Parse): void {
  if (takeWord(parse, 'GROUPING')) {
    needWord(parse, 'SETS');
    inParentheses(parse, () => list(parse, () => group(parse)));
  } else if (isSign(parse, '(', 1) && takeWord(parse, 'ROLLUP', 'CUBE'))
    inParentheses(parse, () => row(parse));
  else if (isSign(parse, '(') && isSign(parse, ')', 1)) inParentheses(parse, () => {});
  else parse.grammar.expression(parse);
}

function namedWindow(parse: Parse): void {
  takeName(parse);
  needWord(parse, 'AS');
  inParentheses(parse, () => window(parse));
}
