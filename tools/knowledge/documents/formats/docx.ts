/** A Word document, converted to HTML by mammoth. */
import mammoth from 'mammoth';
import { UnreadableDocument } from '../reader.ts';
import type { DocumentText } from '../text/document-text.ts';
import { kindOf } from '../text/plain-text.ts';
import { openArchive } from './archive.ts';
import { htmlText } from './html.ts';

const KIND = 'Word document (.docx)';

/** Throws UnreadableDocument. */
export async function readDocx(bytes: Uint8Array, maxInflated: number): Promise<DocumentText> {
  if (kindOf(bytes)?.includes('password'))
    throw new UnreadableDocument('It has a password or is a .doc file: save it as .docx without a password');
  openArchive(bytes, { maxInflated, kind: KIND });
  return htmlText(await toHtml(bytes));
}

async function toHtml(bytes: Uint8Array): Promise<string> {
  try {
    const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, OPTIONS);
    return value;
  } catch {
    throw new UnreadableDocument(`It is not a valid ${KIND}`);
  }
}

// The document may neither reference files of the host nor define its own heading styles.
const OPTIONS = {
  externalFileAccess: false,
  includeEmbeddedStyleMap: false,
  convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
};
