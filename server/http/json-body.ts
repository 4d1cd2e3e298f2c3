/** JSON bodies: decoded strictly, bounded in depth and number of values, freed of what could hurt further in. */
import { SkeinError } from '../../state/errors.ts';
import { readBytes } from './body-bytes.ts';
import type { BodyRoom } from './body-room.ts';

const MAX_DEPTH = 64;
// Four MiB of `{},` are 1.4 million objects: 0.9 s of the event loop and 500 MiB. This many take 2 to 14 ms.
const MAX_VALUES = 50_000;

/**
 * The JSON value of a request's body. Keys `__proto__` and `constructor` are dropped; of duplicate keys the last wins.
 * `plain`: also where
 * it is sent as text. Throws PAYLOAD_TOO_LARGE before it has read more than `limit` bytes, OVERLOADED, INVALID_JSON, or INVALID_REQUEST.
 */
export async function readJson(
  request: Request,
  limit: number,
  room: BodyRoom,
  { plain = false } = {},
): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  // LangGraph Studio sends JSON as text, which a browser does without asking first.
  const isJson = type === 'application/json' || (plain && type === 'text/plain');
  if (!isJson) {
    throw new SkeinError('INVALID_REQUEST', { detail: 'content-type: expected application/json' });
  }
  return jsonOf(decode(await readBytes(request, limit, room)));
}

/** The JSON value of a text, under the same rules. Throws INVALID_JSON or INVALID_REQUEST. */
export function jsonOf(text: string): unknown {
  refuseComplex(text);
  const value = parse(text);
  return SUSPECT.test(text) ? cleaned(value, 'body') : value;
}

// How what is dropped or refused can be written; escapes may be anything. Most bodies have none of it, and megabytes of
// them are not gone through value by value.
const SUSPECT = /__proto__|constructor|\\[ubf]|[\x7f-\x9f]/;

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SkeinError('INVALID_JSON', { detail: 'body: not UTF-8', cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SkeinError('INVALID_JSON', { cause });
  }
}

/** Looks at what stands outside of strings before the parser recurses into it and makes objects of it. */
function refuseComplex(text: string): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA) values++;
    else if (char === OPEN_BRACKET || char === OPEN_BRACE) {
      values++;
      if (++depth > MAX_DEPTH)
        throw new SkeinError('INVALID_REQUEST', { detail: `body: nested deeper than ${MAX_DEPTH}` });
    } else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) depth--;
    if (values > MAX_VALUES)
      throw new SkeinError('INVALID_REQUEST', { detail: `body: more than ${MAX_VALUES} values` });
  }
}

/** Where the string that begins at `start` has its closing quote. */
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

// Control characters other than tab, line feed and carriage return.
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

/** A key is named where it is a name: what else was received does not come back. */
function pathOf(key: string, parent: string): string {
  const name = NAME.test(key) ? key : '?';
  return parent === 'body' ? name : `${parent}.${name}`;
}

function checked(text: string, path: string): string {
  if (!text.isWellFormed())
    throw new SkeinError('INVALID_REQUEST', { detail: `${path}: holds a lone surrogate` });
  if (CONTROL.test(text))
    throw new SkeinError('INVALID_REQUEST', { detail: `${path}: holds a control character` });
  return text;
}
