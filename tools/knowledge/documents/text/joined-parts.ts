/** Joins several parts, such as slides or chapters, into one text. */
import type { DocumentText, Section } from './document-text.ts';

const GAP = '\n\n';

/** Joins the parts in their order, with an empty line between them. Parts without text are dropped. */
export function joinedParts(parts: Iterable<DocumentText>): DocumentText {
  const pieces: string[] = [];
  const sections: Section[] = [];
  let length = 0;
  for (const part of parts) {
    if (part.text.trim() === '') continue;
    for (const section of part.sections)
      sections.push({ ...section, start: section.start + length, end: section.end + length });
    pieces.push(part.text);
    length += part.text.length + GAP.length;
  }
  return { text: pieces.join(GAP), sections };
}

/** A part that consists of one section. */
export function onePart(
  text: string,
  location: Partial<Pick<Section, 'headings' | 'page'>> = {},
): DocumentText {
  return { text, sections: [{ headings: [], page: null, ...location, start: 0, end: text.length }] };
}
