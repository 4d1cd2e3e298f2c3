/** Finds the position at which a text stops being valid JSON (RFC 8259). The engine's own parser doesn't report it. */

/** The tokens that may come next. */
type Next = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'more';

/** Where parsing continues, or where the error is. */
type Step = { at: number } | { wrong: number };

const WORD = /[\p{L}\p{M}\p{N}_]+/uy;
const WORDS = new Set(['true', 'false', 'null']);

/**
 * Returns the index of the first character that makes the text invalid JSON, the text's length if it ends too early, and
 * undefined for valid JSON. An unquoted word other than `true`, `false` and `null` is invalid from its first character on.
 * Takes linear time at any nesting depth.
 */
export function firstWrong(text: string): number | undefined {
  const open: ('[' | '{')[] = [];
  let next: Next = 'value';
  for (let at = afterBlanks(text, 0); ; at = afterBlanks(text, at)) {
    if (at === text.length) return next === 'more' && open.length === 0 ? undefined : at;
    const char = text.charAt(at);
    if (next === 'more') {
      const inside: '[' | '{' | undefined = open.at(-1);
      if (inside !== undefined && char === ',') next = inside === '{' ? 'key' : 'value';
      else if (inside !== undefined && char === CLOSING[inside]) open.pop();
      else return at;
      at++;
    } else if (next === 'colon') {
      if (char !== ':') return at;
      next = 'value';
      at++;
    } else if ((next === 'value or end' && char === ']') || (next === 'key or end' && char === '}')) {
      open.pop();
      next = 'more';
      at++;
    } else if (next === 'key' || next === 'key or end') {
      if (char !== '"') return at;
      const step = string(text, at + 1);
      if ('wrong' in step) return step.wrong;
      next = 'colon';
      at = step.at;
    } else if (char === '[' || char === '{') {
      open.push(char);
      next = char === '[' ? 'value or end' : 'key or end';
      at++;
    } else {
      const step = scalar(text, at, char);
      if ('wrong' in step) return step.wrong;
      next = 'more';
      at = step.at;
    }
  }
}

const CLOSING = { '[': ']', '{': '}' };

function scalar(text: string, at: number, char: string): Step {
  if (char === '"') return string(text, at + 1);
  if (char === '-' || isDigit(char.charCodeAt(0))) return number(text, at);
  const end = match(WORD, text, at);
  return WORDS.has(text.slice(at, end)) ? { at: end } : { wrong: at };
}

const SIMPLE_ESCAPES = '"\\/bfnrt';
const HEX = /[0-9a-fA-F]{0,4}/y;

/** `start` is after the quotation mark. */
function string(text: string, start: number): Step {
  for (let at = start; ; ) {
    at = afterPlain(text, at);
    const char = text.charAt(at);
    if (char === '"') return { at: at + 1 };
    if (char !== '\\') return { wrong: at };
    const escaped = text.charAt(at + 1);
    if (escaped === 'u') {
      const end = match(HEX, text, at + 2);
      if (end < at + 6) return { wrong: end };
      at = end;
    } else if (escaped !== '' && SIMPLE_ESCAPES.includes(escaped)) at += 2;
    else return { wrong: at + 1 };
  }
}

/** A sign, an integer without leading zeros, a fraction and an exponent. Each part needs at least one digit. */
function number(text: string, start: number): Step {
  let at = text.charCodeAt(start) === MINUS ? start + 1 : start;
  if (!isDigit(text.charCodeAt(at))) return { wrong: at };
  at = text.charCodeAt(at) === ZERO ? at + 1 : afterDigits(text, at);
  if (text.charCodeAt(at) === POINT) {
    if (!isDigit(text.charCodeAt(++at))) return { wrong: at };
    at = afterDigits(text, at);
  }
  if (isExponent(text.charCodeAt(at))) {
    at++;
    if (isSign(text.charCodeAt(at))) at++;
    if (!isDigit(text.charCodeAt(at))) return { wrong: at };
    at = afterDigits(text, at);
  }
  return { at };
}

/** Characters allowed unescaped in a string: no quotation mark, no backslash, none of the first 32 characters. */
function afterPlain(text: string, start: number): number {
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (!(code >= 0x20) || code === QUOTE || code === BACKSLASH) return at;
  }
}

function afterDigits(text: string, start: number): number {
  for (let at = start; ; at++) if (!isDigit(text.charCodeAt(at))) return at;
}

function afterBlanks(text: string, start: number): number {
  for (let at = start; ; at++) if (!isBlank(text.charCodeAt(at))) return at;
}

const [QUOTE, MINUS, PLUS, POINT, ZERO, NINE, BACKSLASH] = [0x22, 0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x5c];

const isDigit = (code: number) => code >= ZERO && code <= NINE;
const isSign = (code: number) => code === MINUS || code === PLUS;
const isExponent = (code: number) => code === 0x65 || code === 0x45;
const isBlank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The index after the sticky pattern's match at `at`. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
