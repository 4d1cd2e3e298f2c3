/** Which documents may be put into the folder by others than its owner. */
import { SkeinError } from '../../../../state/errors.ts';
import { ENDINGS } from '../documents/formats.ts';
import { isDocumentName, MAX_DOCUMENT_BYTES } from './document-folder.ts';

// The rule of the prompt files, with the endings of documents.
const UPLOAD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.[a-z]+$/;

/** Throws INVALID_REQUEST or PAYLOAD_TOO_LARGE. */
export function checkUpload(name: string, { byteLength }: Uint8Array): void {
  if (!UPLOAD.test(name) || name.includes('..') || !isDocumentName(name)) {
    const detail = `name: expected letters, digits, '.', '_' and '-', 128 at most, and one of ${ENDINGS.join(', ')}`;
    throw new SkeinError('INVALID_REQUEST', { detail });
  }
  if (byteLength > MAX_DOCUMENT_BYTES)
    throw new SkeinError('PAYLOAD_TOO_LARGE', { detail: `${name}: larger than 20 MiB` });
}
