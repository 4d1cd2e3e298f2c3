/** Adds the title of a page as its outermost heading if the page has no single top heading. */
import { oneLine } from '../text/clean.ts';
import type { DocumentText } from '../text/document-text.ts';

// The title is limited, because every passage repeats it.
const MAX_LENGTH = 120;

export function withTitle({ text, sections }: DocumentText, title: string): DocumentText {
  const name = oneLine(title).slice(0, MAX_LENGTH).toWellFormed();
  const outermost = new Set(sections.map(({ headings }) => headings[0]));
  const hasOwn = outermost.size === 1 && !outermost.has(undefined);
  if (name === '' || hasOwn || outermost.has(name)) return { text, sections };
  return { text, sections: sections.map((each) => ({ ...each, headings: [name, ...each.headings] })) };
}
