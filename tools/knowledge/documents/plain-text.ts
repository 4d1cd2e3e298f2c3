/** Bytes as text: UTF-8, or UTF-16 where a byte order mark says so. */
import { cleaned } from './clean.ts';
import { UnreadableDocument } from './reader.ts';

/**
 * Bytes that are no text in the encoding become replacement characters. Throws UnreadableDocument where they are many.
 * `declared` is what the document says of its encoding; a byte order mark knows better.
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  const other = kindOf(bytes);
  if (other) throw new UnreadableDocument(`It is ${other}, not text: give it the ending of what it is`);
  const text = decoderOf(encodingOf(bytes) ?? declared).decode(bytes);
  if (share(text, ODD) > MAX_ODD)
    throw new UnreadableDocument('It is no text in UTF-8: save it as text with the encoding UTF-8');
  return cleaned(text);
}

// A text with a few broken characters is read all the same: what is whole in it can be found.
const MAX_ODD = 0.1;
const ODD = /\ufffd|(?![\t\n\f\r])\p{Cc}/gu;

function share(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count / Math.max(1, text.length);
}

function encodingOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** UTF-8 where nobody knows the name. */
function decoderOf(label = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0]);
  } catch {
    return new TextDecoder();
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

/** What the first bytes say it is, where that is no text. */
export function kindOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  return KINDS.find(([signature]) => start.startsWith(signature))?.[1];
}
