/** Expressions: operands and operators. Nothing is reordered, so the database decides about precedence. */
import { call, isCall } from './call.ts';
import { isName, takeColumn, takeNumber, takeText } from './names.ts';
import {
  deeper,
  fail,
  isSign,
  isWord,
  needSign,
  needWord,
  type Parse,
  peek,
  skip,
  takeSign,
  takeWord,
} from './parse.ts';
import { parenthesised, specialForm } from './special-forms.ts';
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

/** Suffixes of an operand. */
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
  else if (specialForm(parse)) return;
  else if (isCall(parse)) call(parse);
  else if (kind === 'word' && parse.syntax.bare.has(peek(parse).value.toUpperCase())) bare(parse);
  else if (isName(parse)) takeColumn(parse);
  else fail(parse);
}

function bare(parse: Parse): void {
  parse.out.push(peek(parse).value.toUpperCase());
  skip(parse);
}
