/** The text of a PDF, one section per page. */
import { getDocumentProxy } from 'unpdf';
import { UnreadableDocument } from '../reader.ts';
import { cleaned } from '../text/clean.ts';
import type { DocumentText, Section } from '../text/document-text.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Stops reading when `maxCharacters` is exceeded. Throws UnreadableDocument. */
export async function readPdf(bytes: Uint8Array, maxCharacters: number): Promise<DocumentText> {
  const pdf = await open(bytes);
  const sections: Section[] = [];
  const pieces: string[] = [];
  let length = 0;
  for (let page = 1; page <= pdf.numPages && length <= maxCharacters; page++) {
    const text = await pageText(pdf, page);
    if (text === '') continue;
    sections.push({ headings: [], page, start: length, end: length + text.length });
    pieces.push(text);
    length += text.length + GAP.length;
  }
  if (sections.length === 0)
    throw new UnreadableDocument(
      'It has no text. If its pages are images, run text recognition (OCR) on it first',
    );
  return { text: pieces.join(GAP), sections };
}

const GAP = '\n\n';

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    // The package rejects a Buffer.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    // The package's errors are not instances of Error.
    if ((error as { name?: unknown }).name === 'PasswordException')
      throw new UnreadableDocument('It is encrypted: save it without a password');
    throw new UnreadableDocument('It is not a valid PDF');
  }
}

async function pageText(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  const lines = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
  page.cleanup();
  return joined(cleaned(lines.join('')));
}

/** Joins words that were hyphenated at the end of a line. Takes linear time, however many spaces the text has. */
function joined(text: string): string {
  return text
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1')
    .trim();
}
