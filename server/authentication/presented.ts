/** The credentials that a request presents, read strictly: what is not exactly one well-formed kind is malformed. */

export type Presented =
  | { kind: 'none' }
  | { kind: 'malformed' }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'key'; key: string };

// Longer than any token of ours; a key or a password of this length is nobody's.
const MAX_LENGTH = 8_192;
const MALFORMED = { kind: 'malformed' } as const;

/** A header that came twice is joined by `, ` and so is malformed; so are both headers at once: whose request is it? */
export function presentedBy(headers: Headers): Presented {
  const authorization = headers.get('authorization');
  const key = headers.get('x-api-key');
  if (authorization === null && key === null) return { kind: 'none' };
  if (authorization !== null && key !== null) return MALFORMED;
  if ((authorization ?? key ?? '').length > MAX_LENGTH) return MALFORMED;
  if (key !== null) return TOKEN.test(key) ? { kind: 'key', key } : MALFORMED;
  const [, scheme, rest] = /^([A-Za-z]+) +(\S+)$/.exec(authorization ?? '') ?? [];
  if (scheme === undefined || rest === undefined) return MALFORMED;
  if (scheme.toLowerCase() === 'bearer')
    return TOKEN.test(rest) ? { kind: 'bearer', token: rest } : MALFORMED;
  return scheme.toLowerCase() === 'basic' ? basic(rest) : MALFORMED;
}

// Visible ASCII.
const TOKEN = /^[\x21-\x7e]+$/;
const CONTROL = /\p{Cc}/u;

/** RFC 7617 with `charset="UTF-8"`: the name ends at the first colon, the password may hold more of them. */
function basic(encoded: string): Presented {
  const bytes = Buffer.from(encoded, 'base64');
  // `Buffer.from` skips what is no base64.
  if (bytes.toString('base64') !== encoded) return MALFORMED;
  const text = decoded(bytes);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 1 || CONTROL.test(text)) return MALFORMED;
  return { kind: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
