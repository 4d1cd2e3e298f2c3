/** Which documents may be put into the folder by others than its owner. */
import { SkeinError } from '../../../state/errors.ts';
import { ENDINGS } from '../documents/formats.ts';
import type { Content } from '../library.ts';
import { MAX_DOCUMENT_BYTES, tooLarge } from './document-folder.ts';

/** The rule of the prompt files, with the endings of documents. */
const UPLOAD = new RegExp(
  `^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._-]{0,127}(?:${ENDINGS.map(RegExp.escape).join('|')})$`,
);

/** The pattern of names that may be uploaded. */
export const UPLOAD_NAME = UPLOAD.source;

/** Throws INVALID_REQUEST or PAYLOAD_TOO_LARGE; what comes piece by piece is counted as it comes. */
export function checkUpload(name: string, content: Content): void {
  if (!UPLOAD.test(name)) {
    const detail = `name: expected letters, digits, '.', '_' and '-', 128 at most, and one of ${ENDINGS.join(', ')}`;
    throw new SkeinError('INVALID_REQUEST', { detail });
  }
  if (content instanceof Uint8Array && content.byteLength > MAX_DOCUMENT_BYTES) throw tooLarge(name);
}
