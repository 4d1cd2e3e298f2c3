/** Extracts a document's text. The file extension determines the format. */
import type { CutOptions } from './cut.ts';
import type { Ending } from './file-extensions.ts';
import { markdownText } from './formats/markdown.ts';
import { UnreadableDocument } from './reader.ts';
import type { DocumentText } from './text/document-text.ts';
import { decodeText } from './text/plain-text.ts';

export interface Bounds extends CutOptions {
  /** The maximum length of a document's text, in characters. */
  maxCharacters: number;
  /** The maximum size of an unpacked archive, in bytes. */
  maxInflated: number;
}

/** Throws UnreadableDocument, and any error that a parser throws for invalid input. */
export async function extractText(ending: Ending, bytes: Uint8Array, bounds: Bounds): Promise<DocumentText> {
  const document = await read(ending, bytes, bounds);
  if (document.text.length > bounds.maxCharacters)
    throw new UnreadableDocument(
      `Its text has more than ${bounds.maxCharacters} characters: split it into several documents`,
    );
  if (!/[\p{L}\p{N}]/u.test(document.text)) throw new UnreadableDocument('It has no text');
  if (hasMoreWords(document.text, MAX_WORDS))
    throw new UnreadableDocument(
      `It has more than ${MAX_WORDS} different words: split it into several documents`,
    );
  return document;
}

// While it is built, the word index takes about 300 bytes per word. A long novel has 20,000 words, a table of 50,000 orders has
// 60,000.
const MAX_WORDS = 100_000;

function hasMoreWords(text: string, most: number): boolean {
  const words = new Set<number | bigint>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    // Store hashes: a word may be as long as the text.
    words.add(Bun.hash(word));
    if (words.size > most) return true;
  }
  return false;
}

/** Loads each parser at its first document, because a process that only reads Markdown needs none of them. */
async function read(ending: Ending, bytes: Uint8Array, bounds: Bounds): Promise<DocumentText> {
  switch (ending) {
    case '.md':
      return markdownText(decodeText(bytes));
    case '.txt': {
      const text = decodeText(bytes);
      return { text, sections: [{ headings: [], page: null, start: 0, end: text.length }] };
    }
    case '.rst':
      return (await import('./formats/rst.ts')).rstText(decodeText(bytes));
    case '.adoc':
      return (await import('./formats/adoc.ts')).adocText(decodeText(bytes));
    case '.html':
    case '.htm':
      return (await import('./formats/html.ts')).readHtml(bytes);
    case '.csv':
      return (await import('./formats/csv.ts')).readCsv(bytes);
    case '.pdf':
      return (await import('./formats/pdf.ts')).readPdf(bytes, bounds.maxCharacters);
    case '.docx':
      return (await import('./formats/docx.ts')).readDocx(bytes, bounds.maxInflated);
    case '.xlsx':
      return (await import('./formats/xlsx.ts')).readXlsx(bytes, bounds.maxInflated);
    case '.pptx':
      return (await import('./formats/pptx.ts')).readPptx(bytes, bounds.maxInflated);
    case '.epub':
      return (await import('./formats/epub.ts')).readEpub(bytes, bounds.maxInflated);
    case '.eml':
      return (await import('./formats/eml.ts')).readEml(bytes);
  }
}
