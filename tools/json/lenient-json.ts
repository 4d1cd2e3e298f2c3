/** Parses JSON anywhere in a text and tolerates mistakes of small models: trailing commas, and line breaks in strings. */

export interface LenientJson {
  /** The value that begins at `start`, which is a `{` or `[`; undefined if the value isn't valid. */
  valueAt(start: number): { value: unknown; end: number } | undefined;
  /** True after a value that is nested too deeply, or too many incomplete values. Don't read the text any further. */
  readonly hopeless: boolean;
}

const MAX_DEPTH = 64;
// Hostile text can start a value at every character and complete none, which takes quadratic time. Normal text is read once or
// twice.
const STEPS_PER_CHARACTER = 4;

/** All calls together take linear time. `__proto__` keys are dropped. If a key is repeated, the last value counts. */
export function lenientJson(text: string): LenientJson {
  let at = 0;
  let hopeless = false;
  let steps = STEPS_PER_CHARACTER * text.length;

  function value(depth: number): unknown {
    at = afterBlanks(text, at);
    const char = text.charCodeAt(at);
    if (char === QUOTE) return string();
    if (char !== OPEN_BRACE && char !== OPEN_BRACKET) return scalar();
    hopeless ||= depth === MAX_DEPTH;
    if (hopeless) return BROKEN;
    at++;
    return char === OPEN_BRACE ? object(depth + 1) : list(depth + 1);
  }

  function object(depth: number): unknown {
    const entries: [string, unknown][] = [];
    while (!closes(CLOSE_BRACE)) {
      const key = text.charCodeAt(at) === QUOTE ? string() : BROKEN;
      at = afterBlanks(text, at);
      if (typeof key !== 'string' || text.charCodeAt(at++) !== COLON) return BROKEN;
      const field = value(depth);
      if (field === BROKEN || !separates(CLOSE_BRACE)) return BROKEN;
      if (key !== '__proto__') entries.push([key, field]);
    }
    return Object.fromEntries(entries);
  }

  function list(depth: number): unknown {
    const items: unknown[] = [];
    while (!closes(CLOSE_BRACKET)) {
      const item = value(depth);
      if (item === BROKEN || !separates(CLOSE_BRACKET)) return BROKEN;
      items.push(item);
    }
    return items;
  }

  function closes(bracket: number): boolean {
    at = afterBlanks(text, at);
    if (text.charCodeAt(at) !== bracket) return false;
    at++;
    return true;
  }

  /** Consumes a comma after an item. Also returns true at a closing bracket, which is not consumed. */
  function separates(bracket: number): boolean {
    at = afterBlanks(text, at);
    return text.charCodeAt(at) === bracket || text.charCodeAt(at++) === COMMA;
  }

  function string(): unknown {
    const start = at;
    at = afterString(text, start);
    if (at > text.length) return BROKEN;
    try {
      return JSON.parse(
        text.slice(start, at).replaceAll(/[\t\n\r]/g, (raw) => JSON.stringify(raw).slice(1, -1)),
      );
    } catch {
      return BROKEN;
    }
  }

  function scalar(): unknown {
    SCALAR.lastIndex = at;
    const found = SCALAR.exec(text)?.[0] ?? '';
    at += found.length;
    return found === '' ? BROKEN : JSON.parse(found);
  }

  return {
    valueAt(start) {
      at = start;
      const found = value(0);
      steps -= at - start;
      hopeless ||= steps < 0;
      return found === BROKEN ? undefined : { value: found, end: at };
    },
    get hopeless() {
      return hopeless;
    },
  };
}

const BROKEN = Symbol('no JSON');
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function afterBlanks(text: string, start: number): number {
  for (let at = start; ; at++) {
    const char = text.charCodeAt(at);
    if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return at;
  }
}

/** Index after the closing quote of the string that begins at `start`; past the end of the text if the quote is missing. */
function afterString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH) at++;
    else if (char === QUOTE) return at + 1;
  }
  return text.length + 1;
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
