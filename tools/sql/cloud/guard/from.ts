/** Sources of rows: tables that the login can read, sub-queries, joins, and a few functions. */
import { isCall, tableCall } from './call.ts';
import { readName, takeAlias, takeColumnNames, takeName } from './names.ts';
import { inParentheses, isSign, isWord, list, needWord, type Parse, skip, takeWord } from './parse.ts';
import { quoted, Refused } from './refused.ts';
import { beginsQuery } from './special-forms.ts';

export function sources(parse: Parse): void {
  list(parse, () => joined(parse));
}

function joined(parse: Parse): void {
  source(parse);
  while (joins(parse)) {
    source(parse);
    if (takeWord(parse, 'ON')) parse.grammar.expression(parse);
    else if (takeWord(parse, 'USING')) inParentheses(parse, () => list(parse, () => takeName(parse)));
  }
}

function joins(parse: Parse): boolean {
  if (isWord(parse, ['CROSS', 'OUTER']) && isWord(parse, ['APPLY'], 1))
    return takeWord(parse, 'CROSS', 'OUTER') && takeWord(parse, 'APPLY');
  if (takeWord(parse, 'JOIN')) return true;
  const natural = takeWord(parse, 'NATURAL');
  if (takeWord(parse, 'LEFT', 'RIGHT', 'FULL')) takeWord(parse, 'OUTER');
  else if (!takeWord(parse, 'INNER', 'CROSS') && !natural) return false;
  needWord(parse, 'JOIN');
  return true;
}

function source(parse: Parse): void {
  takeWord(parse, 'LATERAL');
  if (!isSign(parse, '(') && !isCall(parse)) {
    table(parse);
    return;
  }
  if (isSign(parse, '(')) {
    const derived = beginsQuery(parse);
    inParentheses(parse, () => (derived ? parse.grammar.query(parse) : joined(parse)));
    if (!derived) return;
  } else tableCall(parse);
  if (takeAlias(parse)) takeColumnNames(parse);
}

function table(parse: Parse): void {
  const path: string[] = [];
  let name = readName(parse);
  while (isSign(parse, '.') && path.length < 4) {
    skip(parse);
    path.push(name);
    name = readName(parse);
  }
  const common = path.length === 0 && [...parse.scope].find((each) => parse.syntax.sameName(each, name));
  const written = common ? [common] : [...parse.catalog.path, tableNamed(parse, path, name)];
  parse.out.push(written.map(parse.syntax.writeName).join('.'));
  const real = written.at(-1);
  if (takeAlias(parse)) takeColumnNames(parse);
  else if (real !== name) parse.out.push('AS', parse.syntax.writeName(name));
  else parse.given.add(name);
}

/** In the database's spelling. */
function tableNamed({ catalog, syntax, found }: Parse, path: readonly string[], name: string): string {
  const full = [...path, name].join('.');
  if (syntax.catalogs.test(full))
    throw new Refused(
      'catalog_not_allowed',
      `${quoted(full)} describes the server: use the tables and columns of the schema that was given`,
    );
  const nearest = path.length === 0 ? [] : catalog.path.slice(-path.length);
  const here =
    path.length === nearest.length &&
    path.every((part, index) => syntax.sameName(part, nearest[index] ?? ''));
  const table =
    catalog.tables.find((each) => each === name) ??
    catalog.tables.find((each) => syntax.sameName(each, name));
  if (!here || table === undefined)
    throw new Refused(
      'table_not_allowed',
      `The table ${quoted(full)} is not available: use the tables of the given schema`,
    );
  found.add(table);
  return table;
}
