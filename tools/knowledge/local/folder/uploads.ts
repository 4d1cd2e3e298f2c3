/** Validates documents that clients upload into the folder. */
import { SkeinError } from '../../../../state/errors.ts';
import { ENDINGS } from '../../documents/file-extensions.ts';
import type { Content } from '../../library.ts';
import { MAX_DOCUMENT_BYTES, tooLarge } from './document-folder.ts';

/**
 * The rule of the prompt files, for letters and digits of any script, with spaces and common punctuation: no
 * paths, hidden files or invisible characters.
 */
const UPLOAD = new RegExp(
  `^(?!.*\\.\\.)[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} ._\\-+,'!&@#=~()\\[\\]]{0,127}(?:${ENDINGS.map(RegExp.escape).join('|')})$`,
  'u',
);

/** The pattern of names that may be uploaded. */
export const UPLOAD_NAME = UPLOAD.source;

// The limit of file systems.
const MAX_NAME_BYTES = 255;

/** Normalizes names that look the same, because macOS decomposes accented letters. */
export function composedName(name: string): string {
  return name.normalize('NFC');
}

/** Throws INVALID_REQUEST or PAYLOAD_TOO_LARGE; a stream is counted as it arrives. */
export function checkUpload(name: string, content: Content): void {
  if (!UPLOAD.test(name))
    throw refused(
      `expected letters or digits, then also spaces and . _ - + , ' ! & @ # = ~ ( ) [ ], 128 at most, and one of ${ENDINGS.join(', ')}`,
    );
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw refused(`expected at most ${MAX_NAME_BYTES} bytes in UTF-8`);
  if (content instanceof Uint8Array && content.byteLength > MAX_DOCUMENT_BYTES) throw tooLarge(name);
}

function refused(expected: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail: `name: ${expected}` });
}
