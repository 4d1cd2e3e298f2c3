/** Detects the encoding of text that declares none. */

/** Decodes UTF-16, in which the first or the second byte of every space and line ending is 0. Undefined for other encodings. */
export function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const zeros = [0, 0];
  const looked = bytes.subarray(0, LOOKED_AT);
  for (let at = 0; at < looked.length; at++) if (looked[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const [fewer, more] = [Math.min(even, odd), Math.max(even, odd)];
  if (more < looked.length / BYTES_PER_ZERO || fewer * 20 > more) return undefined;
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
  try {
    return new TextDecoder(even > odd ? 'utf-16be' : 'utf-16le', { fatal: true }).decode(whole);
  } catch {
    return undefined;
  }
}

const LOOKED_AT = 65_536;
// Even Chinese text has at least one line ending per two hundred characters.
const BYTES_PER_ZERO = 400;

/**
 * Decodes as UTF-8, and each invalid byte as Windows-1252. Text in either encoding is decoded completely, and truncated or
 * mixed UTF-8 keeps its valid part. Undefined if too many bytes are invalid: Western languages have few letters beyond ASCII,
 * so the text must be in the encoding of another script.
 */
export function utf8WithWindows(bytes: Uint8Array): string | undefined {
  const pieces: string[] = [];
  let [from, letters, others] = [0, 0, 0];
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte > SPACE) letters++;
    const length = byte < 0x80 ? 1 : sequenceAt(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    others++;
    pieces.push(UTF_8.decode(bytes.subarray(from, at)), WINDOWS.decode(bytes.subarray(at, at + 1)));
    at++;
    from = at;
  }
  pieces.push(UTF_8.decode(bytes.subarray(from)));
  return others > letters / 2 ? undefined : pieces.join('');
}

const SPACE = 0x20;
const WINDOWS = new TextDecoder('windows-1252');
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** The length of the non-ASCII UTF-8 character at this position, in bytes; 0 if it is invalid. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0] = bytes.subarray(at, at + 2);
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const [least, most] = SECOND.get(first) ?? [0x80, 0xbf];
  if (first < 0xc2 || first > 0xf4 || second < least || second > most) return 0;
  const rest = bytes.subarray(at + 2, at + length);
  return rest.length === length - 2 && rest.every((byte) => byte >= 0x80 && byte <= 0xbf) ? length : 0;
}

// Bounds of the second byte that exclude overlong forms, surrogates and values beyond the last character: RFC 3629, section 4.
const SECOND = new Map<number, readonly [number, number]>([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);
