/** The types to which a statement may cast. */
import { takeArraySize, takeNumber } from './names.ts';
import { inParentheses, isSign, isWord, list, needWord, type Parse, peek, skip, takeWord } from './parse.ts';
import { quoted, Refused } from './refused.ts';

export function takeType(parse: Parse): void {
  const { kind, value } = peek(parse);
  const first = value.toUpperCase();
  if (kind !== 'word' || !parse.syntax.types.has(first))
    throw new Refused('unknown_syntax', `The type ${quoted(value)} is not allowed`);
  parse.out.push(first);
  skip(parse);
  while (takeWord(parse, 'PRECISION', 'VARYING', 'UNSIGNED', 'SIGNED', 'INTEGER'));
  if (isSign(parse, '(')) inParentheses(parse, () => list(parse, () => size(parse)));
  if (isWord(parse, ['WITH', 'WITHOUT']) && isWord(parse, ['TIME'], 1)) {
    takeWord(parse, 'WITH', 'WITHOUT');
    needWord(parse, 'TIME');
    needWord(parse, 'ZONE');
  }
  takeArraySize(parse);
}

function size(parse: Parse): void {
  if (!takeWord(parse, 'MAX')) takeNumber(parse);
}
