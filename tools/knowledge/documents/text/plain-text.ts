/** Decodes bytes as text. */

import { UnreadableDocument } from '../reader.ts';
import { cleaned } from './clean.ts';
import { unmarkedUtf16, utf8WithWindows } from './unmarked-text.ts';

/**
 * Uses the encoding of the byte order mark or, if there is none, the one that the document declares (`declared`). If neither is
 * valid, detects UTF-8, UTF-16 or Windows-1252 from the bytes. Throws UnreadableDocument if the bytes are not text.
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  const other = kindOf(bytes);
  if (other) throw new UnreadableDocument(`It is ${other}, not text: give it the matching file extension`);
  const text =
    marked(bytes) ??
    decoded(bytes, declared) ??
    decoded(bytes, 'utf-8') ??
    unmarkedUtf16(bytes) ??
    utf8WithWindows(bytes);
  if (text === undefined || !isText(text)) throw new UnreadableDocument(UNKNOWN);
  return cleaned(text);
}

const UNKNOWN = 'It is not text, or its encoding is not recognized: save it as UTF-8 text';

// A few control characters are replaced by spaces. Many control characters mean that the bytes are not text.
const MAX_ODD = 0.1;
const CONTROL_CHARACTER = /(?![\t\n\f\r])\p{Cc}/gu;

function isText(text: string): boolean {
  let count = 0;
  for (const _ of text.matchAll(CONTROL_CHARACTER)) count++;
  return count <= text.length * MAX_ODD;
}

/** Decodes by the byte order mark; undefined without one. An incomplete UTF-16 character becomes a replacement character. */
function marked(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return first === 0xef && second === 0xbb && third === 0xbf ? decoded(bytes, 'utf-8') : undefined;
}

/** Undefined if the bytes are invalid in the encoding, or the encoding is unknown. */
function decoded(bytes: Uint8Array, encoding: string | undefined): string | undefined {
  if (encoding === undefined) return undefined;
  try {
    const label = encoding as ConstructorParameters<typeof TextDecoder>[0];
    const text = new TextDecoder(label, { fatal: true }).decode(bytes);
    return isText(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
const KINDS = [
  ['25504446', 'a PDF'],
  ['504b0304', 'a ZIP archive or an Office document'],
  ['d0cf11e0', 'an Office document of an old format or with a password'],
  ['1f8b', 'a compressed file'],
  ['89504e47', 'an image'],
  ['ffd8ff', 'an image'],
  ['47494638', 'an image'],
  ['7f454c46', 'a program'],
] as const;

/** The binary format that the first bytes identify; undefined if they identify none. */
export function kindOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  return KINDS.find(([signature]) => start.startsWith(signature))?.[1];
}
