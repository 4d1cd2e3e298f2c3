/** Parses JSON that a person typed: its value, or what is wrong and where. */

export type JsonText = { value: unknown; problem?: undefined } | { problem: JsonProblem };

export interface JsonProblem {
  /** Includes the line and column. */
  message: string;
  /** The index in the text, from 0. */
  at: number;
}

/** Finds the position of an error itself, because browsers report it only for some errors, each in its own words. */
export function readJson(text: string): JsonText {
  try {
    return { value: JSON.parse(text) };
  } catch {
    const { at, expected } = firstFault(text);
    const before = text.slice(0, at).split('\n');
    const place = `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    return { problem: { message: `${place}: expected ${expected}, found ${foundAt(text, at)}.`, at } };
  }
}

/** The problem of a text that must be an object and isn't one. */
export function notAnObject(text: string): JsonProblem {
  return { message: 'Must be an object: {"name": value}.', at: Math.max(0, text.search(/\S/)) };
}

function foundAt(text: string, at: number): string {
  const [character] = text.slice(at, at + 2);
  if (character === undefined) return 'the end of the text';
  return character === '"' ? 'an unterminated string' : `“${character}”`;
}

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const BLANKS = /[ \t\n\r]*/y;

interface Fault {
  at: number;
  expected: string;
}

/** The first error in text that isn't valid JSON. */
function firstFault(text: string): Fault {
  let at = 0;
  let expected = 'the end of the text';

  function takes(token: RegExp): boolean {
    token.lastIndex = at;
    const isThere = token.test(text);
    if (isThere) at = token.lastIndex;
    return isThere;
  }
  function takesSign(sign: string): boolean {
    takes(BLANKS);
    const isThere = text.startsWith(sign, at);
    if (isThere) at += sign.length;
    takes(BLANKS);
    return isThere;
  }
  function fails(missing: string): false {
    expected = missing;
    return false;
  }
  function value(): boolean {
    if (takesSign('{')) return members('}', member);
    if (takesSign('[')) return members(']', value);
    return takes(STRING) || takes(WORD) || fails('a value');
  }
  function members(end: string, one: () => boolean): boolean {
    if (takesSign(end)) return true;
    do if (!one()) return false;
    while (takesSign(','));
    return takesSign(end) || fails(`“,” or “${end}”`);
  }
  function member(): boolean {
    if (!takes(STRING)) return fails('a name in double quotes');
    return takesSign(':') ? value() : fails('“:”');
  }

  try {
    if (value()) takes(BLANKS);
  } catch {
    // The recursion overflowed the stack.
    expected = 'less nesting';
  }
  return { at, expected };
}
