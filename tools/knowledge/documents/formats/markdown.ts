/** Markdown: the unchanged text, split into sections at its headings. */
import type { DocumentText } from '../text/document-text.ts';
import { type Line, linesOf, titledSections } from '../text/titled-sections.ts';

/** Both heading styles (`# ...` and underlined), except in fenced code. https://spec.commonmark.org/0.31.2/ */
export function markdownText(text: string): DocumentText {
  const { enter, whole } = titledSections(text);
  let fence: string | undefined;
  let above: Line | undefined;

  for (const line of linesOf(text, frontMatterEnd(text))) {
    const { content, from, to } = line;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(content)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && content.trim() === mark) fence = undefined;
      continue;
    }
    fence = mark;
    const level = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(content)?.[1]?.length;
    const underlined = above && mark === undefined ? /^ {0,3}(=|-)\1*[ \t]*$/.exec(content)?.[1] : undefined;
    if (level) enter(level, titleOf(content), { from, to });
    else if (above && underlined) enter(underlined === '=' ? 1 : 2, above.content, { from: above.from, to });
    above = level || mark || underlined || !isParagraph(content) ? undefined : line;
  }
  return whole();
}

/** The text of a heading without its marks. Closing marks are optional. */
function titleOf(line: string): string {
  const inner = line.replace(/^ {0,3}#+/, '').trim();
  let end = inner.length;
  while (inner[end - 1] === '#') end--;
  const bare = inner.slice(0, end);
  return end === 0 || /[ \t]$/.test(bare) ? bare.trim() : inner;
}

/** Whether an underline turns the line into a heading. */
function isParagraph(line: string): boolean {
  return line.trim() !== '' && !/^(?: {4}|\t| {0,3}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]|\|))/.test(line);
}

/** YAML front matter is read as text, but its closing dashes don't turn the line above them into a heading. */
function frontMatterEnd(text: string): number {
  if (!text.startsWith('---\n')) return 0;
  const end = text.indexOf('\n---\n', 3);
  return end < 0 ? 0 : end + 5;
}
