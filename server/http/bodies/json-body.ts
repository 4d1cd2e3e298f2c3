/** Reads JSON bodies: strict UTF-8, limited depth and number of values, no dangerous keys or control characters. */
import { SkeinError } from '../../../state/errors.ts';
import { readBytes } from './body-bytes.ts';
import type { BodyMemory } from './body-memory.ts';

const MAX_DEPTH = 64;
// Measured: 4 MiB of `{},` are 1.4 million objects and take 0.9 s of the event loop and 500 MiB. 50,000 values take 2 to 14 ms.
const MAX_VALUES = 50_000;

/**
 * Returns the JSON value of a request's body, without keys named `__proto__` or `constructor`. Of duplicate keys, the last wins.
 * `plain` also accepts the content type text/plain, and reads a missing body as an empty object. Throws PAYLOAD_TOO_LARGE before
 * it has read more than `limit` bytes, OVERLOADED, INVALID_JSON, or INVALID_REQUEST.
 */
export async function readJson(
  request: Request,
  limit: number,
  memory: BodyMemory,
  { plain = false } = {},
): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  // As LangGraph's own server does: all fields of many of its requests are optional.
  if (plain && type === undefined && request.body === null) return {};
  // LangGraph Studio sends JSON as text/plain, because browsers send that without a preflight request.
  const isJson = type === 'application/json' || (plain && type === 'text/plain');
  if (!isJson) {
    throw new SkeinError('INVALID_REQUEST', { detail: 'content-type: expected application/json' });
  }
  return parseJson(decode(await readBytes(request, limit, memory)));
}

/** Parses JSON text under the same rules. Throws INVALID_JSON or INVALID_REQUEST. */
export function parseJson(text: string): unknown {
  rejectComplex(text);
  const value = parse(text);
  return SUSPECT.test(text) ? cleaned(value, 'body') : value;
}

// Matches every spelling of what `cleaned` drops or rejects, including all escapes that could produce it. Most bodies don't
// match, so megabytes of JSON need not be visited value by value.
const SUSPECT = /__proto__|constructor|\\[ubf]|[\x7f-\x9f]/;

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SkeinError('INVALID_JSON', { detail: 'body: not valid UTF-8', cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SkeinError('INVALID_JSON', { cause });
  }
}

/** Counts depth and values outside of strings, before the parser recurses and allocates objects. */
function rejectComplex(text: string): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA) values++;
    else if (char === OPEN_BRACKET || char === OPEN_BRACE) {
      values++;
      if (++depth > MAX_DEPTH)
        throw new SkeinError('INVALID_REQUEST', { detail: `body: nested deeper than ${MAX_DEPTH} levels` });
    } else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) depth--;
    if (values > MAX_VALUES)
      throw new SkeinError('INVALID_REQUEST', { detail: `body: more than ${MAX_VALUES} values` });
  }
}

/** The position of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

const DROPPED = new Set(['__proto__', 'constructor']);

// All control characters except tab, line feed and carriage return.
const CONTROL = /[^\P{Cc}\t\n\r]/u;

function cleaned(value: unknown, path: string): unknown {
  if (typeof value === 'string') return checked(value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => cleaned(item, `${path}[${index}]`));
  const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(
    entries.map(([key, item]) => [checked(key, `a key of ${path}`), cleaned(item, pathOf(key, path))]),
  );
}

const NAME = /^[\w-]{1,64}$/;

/** The path of a key for error messages. A key that is not a plain name is shown as `?`, because errors never echo values. */
function pathOf(key: string, parent: string): string {
  const name = NAME.test(key) ? key : '?';
  return parent === 'body' ? name : `${parent}.${name}`;
}

function checked(text: string, path: string): string {
  if (!text.isWellFormed())
    throw new SkeinError('INVALID_REQUEST', { detail: `${path}: contains a lone surrogate` });
  if (CONTROL.test(text))
    throw new SkeinError('INVALID_REQUEST', { detail: `${path}: contains a control character` });
  return text;
}
