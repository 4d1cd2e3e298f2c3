/** Names in a statement. All are written in quotes, so that none can be read as a keyword. */
import {
  fail,
  inParentheses,
  isSign,
  list,
  needSign,
  type Parse,
  peek,
  skip,
  takeSign,
  takeWord,
} from './parse.ts';

// Words that cannot be unquoted names, because they begin or end a clause.
const RESERVED = new Set(
  `ALL AND ANY ARRAY AS ASC BETWEEN BOTH BY CASE CAST CHECK COLLATE CONSTRAINT CREATE CROSS DEFAULT DELETE DESC DISTINCT
  DO DROP ELSE END ESCAPE EXCEPT EXEC EXECUTE EXISTS EXPLAIN FALSE FETCH FOR FROM FULL GRANT GROUP HAVING ILIKE IN INNER
  INSERT INTERSECT INTO IS ISNULL JOIN LATERAL LEADING LEFT LIKE LIMIT LOCK MINUS NATURAL NOT NOTNULL NULL OFFSET ON
  OPTION OR ORDER OUTER OUTFILE OVER OVERLAPS PARTITION PIVOT PLACING PROCEDURE QUALIFY REGEXP RETURNING RIGHT RLIKE
  SELECT SET SIMILAR SOME STRAIGHT_JOIN TABLE TABLESAMPLE THEN TO TRAILING TRUE UNION UNPIVOT UPDATE USING VALUES WHEN
  WHERE WINDOW WITH XOR`.split(/\s+/),
);

export function isName(parse: Parse, ahead = 0): boolean {
  const { kind, value } = peek(parse, ahead);
  return kind === 'name' || (kind === 'word' && !RESERVED.has(value.toUpperCase()));
}

/** Skips a name and returns it as the database understands it. Writes nothing. */
export function readName(parse: Parse): string {
  if (!isName(parse)) fail(parse);
  const { kind, value } = peek(parse);
  skip(parse);
  return kind === 'word' ? parse.syntax.fold(value) : value;
}

export function takeName(parse: Parse): string {
  const name = readName(parse);
  parse.out.push(parse.syntax.writeName(name));
  return name;
}

/** Parses the alias of a column or table. Returns whether there is one. */
export function takeAlias(parse: Parse): boolean {
  const { kind, value } = peek(parse);
  const explicit = kind === 'word' && value.toUpperCase() === 'AS';
  if (!explicit && !isName(parse)) return false;
  if (explicit) skip(parse);
  const alias = explicit ? anyName(parse) : readName(parse);
  parse.given.add(alias);
  parse.out.push('AS', parse.syntax.writeName(alias));
  return true;
}

/** After AS, a reserved word or a text can also be a name. */
function anyName(parse: Parse): string {
  const { kind, value } = peek(parse);
  // No database has names without characters.
  if ((kind !== 'word' && kind !== 'name' && kind !== 'text') || value === '') return fail(parse);
  skip(parse);
  return kind === 'word' ? parse.syntax.fold(value) : value;
}

/** Parses `(a, b)` after a table alias, if it is present. */
export function takeColumnNames(parse: Parse): void {
  if (!isSign(parse, '(')) return;
  inParentheses(parse, () => list(parse, () => parse.given.add(takeName(parse))));
}

/** Parses a column, `a`, `t.a` or `s.t.a`, or all columns of a table, `t.*`. */
export function takeColumn(parse: Parse): void {
  let name = takeName(parse);
  for (let parts = 1; takeSign(parse, '.'); parts++) {
    if (parts > 3) fail(parse);
    if (takeSign(parse, '*')) return;
    name = takeName(parse);
  }
  parse.read.add(name);
}

export function takeDirections(parse: Parse): void {
  takeWord(parse, 'ASC', 'DESC');
  if (!takeWord(parse, 'NULLS')) return;
  if (!takeWord(parse, 'FIRST', 'LAST')) fail(parse);
}

/** Writes a number unchanged. */
export function takeNumber(parse: Parse): void {
  const { kind, value } = peek(parse);
  if (kind !== 'number') fail(parse);
  parse.out.push(value);
  skip(parse);
}

export function takeText(parse: Parse): void {
  const { kind, value } = peek(parse);
  if (kind !== 'text') fail(parse);
  parse.out.push(parse.syntax.writeText(value));
  skip(parse);
}

export function takeArraySize(parse: Parse): void {
  while (takeSign(parse, '[')) needSign(parse, ']');
}
