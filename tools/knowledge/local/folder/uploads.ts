/** Validates documents that clients upload into the folder. */
import { SkeinError } from '../../../../state/errors.ts';
import { ENDINGS } from '../../documents/file-extensions.ts';
import type { Content } from '../../library.ts';
import { MAX_DOCUMENT_BYTES, tooLarge } from './document-folder.ts';

/**
 * The rule for names of prompt files, extended to letters and digits of any script, spaces and common punctuation. Excludes
 * paths, hidden files and invisible characters.
 */
const UPLOAD = new RegExp(
  `^(?!.*\\.\\.)[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} ._\\-+,'!&@#=~()\\[\\]]{0,127}(?:${ENDINGS.map(RegExp.escape).join('|')})$`,
  'u',
);

/** The pattern of names that may be uploaded. */
export const UPLOAD_NAME = UPLOAD.source;

// The limit of common file systems.
const MAX_NAME_BYTES = 255;

/** Normalizes names, because macOS decomposes accented letters, so that equal names would differ. */
export function composedName(name: string): string {
  return name.normalize('NFC');
}

/** Throws INVALID_REQUEST or PAYLOAD_TOO_LARGE. The size of a stream is only known as it arrives, and is checked then. */
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
