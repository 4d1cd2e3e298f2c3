/** AsciiDoc: the unchanged text, split into sections at its titles. */
import type { DocumentText } from '../text/document-text.ts';
import { type Line, linesOf, titledSections } from '../text/titled-sections.ts';

/**
 * `= Title` to `====== Title`, and underlined titles of the older style; ignored in code blocks, literal text and
 * comments. https://docs.asciidoctor.org/asciidoc/latest/sections/titles-and-levels/
 */
export function adocText(text: string): DocumentText {
  const { enter, whole } = titledSections(text);
  let block: string | undefined;
  let above: Line | undefined;
  for (const line of linesOf(text)) {
    const content = line.content.trimEnd();
    if (block !== undefined) {
      if (content === block) block = undefined;
      continue;
    }
    const level = above ? underlinedLevel(above.content, content) : undefined;
    const [, marks, title] = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/.exec(content) ?? [];
    if (above && level) enter(level, above.content, { from: above.from, to: line.to });
    else if (marks && title) enter(marks.length, title, line);
    else if (VERBATIM.test(content)) block = content;
    above = level || marks || block !== undefined ? undefined : line;
  }
  return whole();
}

// Code, literal text, passthroughs and comments contain no titles.
const VERBATIM = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|```.*)$/;
const UNDERLINES = ['=', '-', '~', '^', '+'];

/** The length of an underline may differ from that of its title by one character. */
function underlinedLevel(title: string, line: string): number | undefined {
  const mark = line[0] ?? '';
  const level = UNDERLINES.indexOf(mark) + 1;
  const length = title.trimEnd().length;
  if (level === 0 || length < 2 || !/[\p{L}\p{N}]/u.test(title) || /^[\s.[:]/.test(title)) return undefined;
  const isWhole = line === mark.repeat(line.length);
  return isWhole && Math.abs(line.length - length) <= 1 ? level : undefined;
}
