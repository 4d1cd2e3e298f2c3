/** Function calls. Only the functions on the dialect's list are allowed. */
import { isName, takeName, takeText } from './names.ts';
import {
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
import { quoted, Refused } from './refused.ts';
import { takeType } from './type-name.ts';
import { orderBy, window } from './window.ts';

/** Whether a name, qualified or not, and a parenthesis follow. */
export function isCall(parse: Parse): boolean {
  let ahead = 0;
  while (isSign(parse, '.', ahead + 1) && ahead < 8) ahead += 2;
  const { kind } = peek(parse, ahead);
  return (kind === 'word' || kind === 'name') && isSign(parse, '(', ahead + 1);
}

export function call(parse: Parse): void {
  const name = functionName(parse, parse.syntax.functions);
  if (name === undefined)
    throw new Refused('function_not_allowed', `The function ${quoted(calledName(parse))} is not allowed`);
  begin(parse, name);
  argumentsOf(parse, name);
  needSign(parse, ')');
  endings(parse);
}

/** A call of a function as a table. */
export function tableCall(parse: Parse): void {
  const name = functionName(parse, parse.syntax.tableFunctions);
  if (name === undefined)
    throw new Refused(
      'table_function_not_allowed',
      `The function ${quoted(calledName(parse))} is not allowed in FROM: read the tables of the schema`,
    );
  begin(parse, name);
  list(parse, () => parse.grammar.expression(parse));
  needSign(parse, ')');
  if (takeWord(parse, 'WITH')) needWord(parse, 'ORDINALITY');
}

/** Undefined if the name is not in `allowed`. Quoted and qualified names are not those of the database's own functions. */
function functionName(parse: Parse, allowed: ReadonlySet<string>): string | undefined {
  const { kind, value } = peek(parse);
  const name = value.toLowerCase();
  return kind === 'word' && isSign(parse, '(', 1) && allowed.has(name) ? name : undefined;
}

function calledName(parse: Parse): string {
  let name = peek(parse).value;
  for (let ahead = 1; isSign(parse, '.', ahead); ahead += 2) name += `.${peek(parse, ahead + 1).value}`;
  return name;
}

function begin(parse: Parse, name: string): void {
  skip(parse);
  skip(parse);
  parse.given.add(name);
  parse.out.push(`${parse.syntax.writeFunction(name)}(`);
}

function argumentsOf(parse: Parse, name: string): void {
  if (isSign(parse, ')') || takeSign(parse, '*')) return;
  if (name === 'convert') {
    conversion(parse);
    return;
  }
  takeWord(parse, 'DISTINCT', 'ALL', 'BOTH', 'LEADING', 'TRAILING');
  if (parse.syntax.unitFirst.has(name)) unit(parse);
  let position = 0;
  list(parse, () => {
    boundLength(parse, name, position++);
    // As in trim(LEADING FROM a).
    if (!isWord(parse, BETWEEN)) parse.grammar.expression(parse);
    while (takeWord(parse, ...BETWEEN)) parse.grammar.expression(parse);
  });
  if (isWord(parse, ['ORDER'])) orderBy(parse);
  if (takeWord(parse, 'SEPARATOR')) takeText(parse);
}

const BETWEEN = ['FROM', 'FOR', 'PLACING'];

/** CONVERT(a, CHAR) of MySQL, CONVERT(VARCHAR(10), a, 23) of SQL Server. */
function conversion(parse: Parse): void {
  const typeFirst = parse.syntax.unitFirst.has('datepart');
  if (typeFirst) takeType(parse);
  else parse.grammar.expression(parse);
  needSign(parse, ',');
  if (typeFirst) list(parse, () => parse.grammar.expression(parse));
  else takeType(parse);
}

const UNITS =
  `YEAR YY YYYY QUARTER QQ MONTH MM WEEK WK ISO_WEEK WEEKDAY DW DAY DD DAYOFYEAR DY HOUR HH MINUTE MI SECOND
  SS MILLISECOND MS MICROSECOND`.split(/\s+/);

function unit(parse: Parse): void {
  needWord(parse, ...UNITS);
  needSign(parse, ',');
}

const MAX_LENGTH = 1_000;
const MAX_REPEATS = 2;

/** Limits how long a text can become, even in several steps. */
function boundLength(parse: Parse, name: string, position: number): void {
  if (parse.syntax.lengthArguments.get(name) !== position) return;
  const { kind, value } = peek(parse);
  const literal = kind === 'number' && Number(value) <= MAX_LENGTH;
  if (!literal || !(isSign(parse, ')', 1) || isSign(parse, ',', 1)))
    throw new Refused(
      'argument_not_allowed',
      `The length in ${name} must be a literal of at most ${MAX_LENGTH}`,
    );
  if (++parse.counts.repeats > MAX_REPEATS)
    throw new Refused('argument_not_allowed', `Only ${MAX_REPEATS} functions such as ${name} are allowed`);
}

function endings(parse: Parse): void {
  if (takeWord(parse, 'WITHIN')) {
    needWord(parse, 'GROUP');
    inParentheses(parse, () => orderBy(parse));
  }
  if (isWord(parse, ['FILTER']) && isSign(parse, '(', 1)) {
    takeWord(parse, 'FILTER');
    inParentheses(parse, () => {
      needWord(parse, 'WHERE');
      parse.grammar.expression(parse);
    });
  }
  if (isWord(parse, ['IGNORE', 'RESPECT']) && isWord(parse, ['NULLS'], 1)) {
    takeWord(parse, 'IGNORE', 'RESPECT');
    takeWord(parse, 'NULLS');
  }
  if (!takeWord(parse, 'OVER')) return;
  if (isSign(parse, '(')) inParentheses(parse, () => window(parse));
  else if (isName(parse)) takeName(parse);
  else fail(parse);
}
