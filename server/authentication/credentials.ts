/** Parses the credentials of a request. Anything but exactly one well-formed kind is malformed. */

export type Credentials =
  | { kind: 'none' }
  | { kind: 'malformed' }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'key'; key: string };

// Longer than any token that Skein issues, and than any plausible key or password.
const MAX_LENGTH = 8_192;
const MALFORMED = { kind: 'malformed' } as const;

/**
 * Reads the headers Authorization and X-API-Key. Sending both is malformed, because they could name two callers. A repeated
 * header is malformed too: Bun joins its values with `, `.
 */
export function credentialsOf(headers: Headers): Credentials {
  const authorization = headers.get('authorization');
  const key = headers.get('x-api-key');
  if (authorization !== null && key !== null) return MALFORMED;
  if (key !== null) return key.length <= MAX_LENGTH && TOKEN.test(key) ? { kind: 'key', key } : MALFORMED;
  if (authorization === null) return { kind: 'none' };
  if (authorization.length > MAX_LENGTH) return MALFORMED;
  const [, scheme, rest] = /^([A-Za-z]+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme === undefined || rest === undefined) return MALFORMED;
  if (scheme.toLowerCase() === 'bearer')
    return TOKEN.test(rest) ? { kind: 'bearer', token: rest } : MALFORMED;
  return scheme.toLowerCase() === 'basic' ? basic(rest) : MALFORMED;
}

// Visible ASCII.
const TOKEN = /^[\x21-\x7e]+$/;
const CONTROL = /\p{Cc}/u;

/** RFC 7617 with `charset="UTF-8"`: the username ends at the first colon; the password may contain colons. */
function basic(encoded: string): Credentials {
  const bytes = Buffer.from(encoded, 'base64');
  // `Buffer.from` skips characters that aren't base64.
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
