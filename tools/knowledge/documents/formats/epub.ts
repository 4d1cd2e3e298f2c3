/** An EPUB book: its chapters, in reading order. */
import { posix } from 'node:path';
import { UnreadableDocument } from '../reader.ts';
import type { DocumentText } from '../text/document-text.ts';
import { joinedParts } from '../text/joined-parts.ts';
import { decodeText } from '../text/plain-text.ts';
import { type Archive, openArchive } from './archive.ts';
import { htmlText } from './html.ts';
import { declaredEncoding, elementsOf } from './xml.ts';

const KIND = 'book (.epub)';

/** Throws UnreadableDocument. */
export function readEpub(bytes: Uint8Array, maxInflated: number): DocumentText {
  const archive = openArchive(bytes, { maxInflated, kind: KIND });
  // https://www.w3.org/TR/epub-33/#sec-container-metainf
  if (archive.file('META-INF/rights.xml'))
    throw new UnreadableDocument('It is encrypted and can be opened only in its own reader');
  const container = elementsOf(archive.file('META-INF/container.xml'), 'rootfile');
  const [root] = container.flatMap((attributes) => attributes['full-path'] ?? []);
  const book = root === undefined ? undefined : archive.file(root);
  if (root === undefined || !book) throw new UnreadableDocument(`It is not a valid ${KIND}`);
  return joinedParts(chaptersOf(archive, root, book));
}

function* chaptersOf(archive: Archive, root: string, book: Uint8Array): Generator<DocumentText> {
  const items = new Map(elementsOf(book, 'item').map((item) => [item.id, item]));
  for (const { idref } of elementsOf(book, 'itemref')) {
    const item = items.get(idref);
    // Skip the table of contents, which only repeats the headings.
    if (!item?.href || item.properties?.split(' ').includes('nav')) continue;
    const file = archive.file(posix.join(posix.dirname(root), decoded(item.href)));
    if (file) yield htmlText(decodeText(file, declaredEncoding(file)));
  }
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
