/** Markdown: its text as it is, cut into sections at its headings. */
import type { DocumentText, Section } from './document-text.ts';
import { openHeadings } from './headings.ts';

/** Headings of both kinds (`# ...`, and underlined ones), none in fenced code. https://spec.commonmark.org/0.31.2/ */
export function markdownText(text: string): DocumentText {
  const headings = openHeadings();
  const sections: Section[] = [];
  let start = 0;
  let fence: string | undefined;
  let above: Line | undefined;

  function close(end: number): void {
    if (text.slice(start, end).trim() !== '')
      sections.push({ headings: headings.path(), page: null, start, end });
  }

  function enter(level: number, title: string, { from, to }: { from: number; to: number }): void {
    close(from);
    headings.enter(level, title);
    start = to;
  }

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
  close(text.length);
  return { text, sections: sections.length > 0 ? sections : wholeOf(text) };
}

interface Line {
  content: string;
  from: number;
  /** After its line end. */
  to: number;
}

function* linesOf(text: string, first: number): Generator<Line> {
  for (let from = first; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end + 1;
    yield { content: text.slice(from, end < 0 ? to : end), from, to };
    from = to;
  }
}

/** Without the marks around it: those at its end are allowed, and count for nothing. */
function titleOf(line: string): string {
  const inner = line.replace(/^ {0,3}#+/, '').trim();
  let end = inner.length;
  while (inner[end - 1] === '#') end--;
  const bare = inner.slice(0, end);
  return end === 0 || /[ \t]$/.test(bare) ? bare.trim() : inner;
}

/** A line that an underline makes a heading. */
function isParagraph(line: string): boolean {
  return line.trim() !== '' && !/^(?: {4}|\t| {0,3}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]|\|))/.test(line);
}

/** YAML between two lines of dashes at the start is read as text, but its end underlines nothing. */
function frontMatterEnd(text: string): number {
  if (!text.startsWith('---\n')) return 0;
  const end = text.indexOf('\n---\n', 3);
  return end < 0 ? 0 : end + 5;
}

/** A document of headings alone is searched by them. */
function wholeOf(text: string): Section[] {
  return [{ headings: [], page: null, start: 0, end: text.length }];
}
