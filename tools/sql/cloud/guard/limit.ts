/** LIMIT and OFFSET of a query. */
import { takeNumber } from './names.ts';
import { fail, isWord, needWord, type Parse, peek, skip, takeSign, takeWord } from './parse.ts';

/** Parses the limits of a sub-query. */
export function limits(parse: Parse): void {
  for (;;) {
    if (takeWord(parse, 'LIMIT')) {
      if (takeWord(parse, 'ALL', 'NULL')) continue;
      takeNumber(parse);
      if (takeSign(parse, ',')) takeNumber(parse);
    } else if (takeWord(parse, 'OFFSET')) {
      takeNumber(parse);
      takeWord(parse, 'ROW', 'ROWS');
    } else if (takeWord(parse, 'FETCH')) {
      needWord(parse, 'FIRST', 'NEXT');
      if (peek(parse).kind === 'number') takeNumber(parse);
      needWord(parse, 'ROW', 'ROWS');
      needWord(parse, 'ONLY');
    } else return;
  }
}

export interface Limit {
  count: number;
  offset: number;
}

/** Parses the limits of the whole statement. They are not written, because the driver sets its own. */
export function readLimit(parse: Parse): Limit {
  const limit = { count: Number.MAX_SAFE_INTEGER, offset: 0 };
  for (;;) {
    if (skipWord(parse, 'LIMIT')) {
      if (skipWord(parse, 'ALL') || skipWord(parse, 'NULL')) continue;
      limit.count = wholeNumber(parse);
      if (peek(parse).value !== ',') continue;
      skip(parse);
      [limit.offset, limit.count] = [limit.count, wholeNumber(parse)];
    } else if (skipWord(parse, 'OFFSET')) {
      limit.offset = wholeNumber(parse);
      skipWord(parse, 'ROW', 'ROWS');
    } else if (skipWord(parse, 'FETCH')) {
      if (!skipWord(parse, 'FIRST', 'NEXT')) fail(parse);
      limit.count = peek(parse).kind === 'number' ? wholeNumber(parse) : 1;
      if (!skipWord(parse, 'ROW', 'ROWS') || !skipWord(parse, 'ONLY')) fail(parse);
    } else return limit;
  }
}

function skipWord(parse: Parse, ...keywords: string[]): boolean {
  if (!isWord(parse, keywords)) return false;
  skip(parse);
  return true;
}

function wholeNumber(parse: Parse): number {
  const { kind, value } = peek(parse);
  const number = Number(value);
  if (kind !== 'number' || !Number.isSafeInteger(number)) fail(parse);
  skip(parse);
  return number;
}
