/** reStructuredText: the unchanged text, split into sections at its titles. */
import type { DocumentText } from '../text/document-text.ts';
import { type Line, linesOf, titledSections } from '../text/titled-sections.ts';

/**
 * A title is underlined, or has lines above and below it. The lines are at least as long as the title. The order in which
 * styles first appear determines their levels. https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections
 */
export function rstText(text: string): DocumentText {
  const { enter, whole } = titledSections(text);
  const styles: string[] = [];
  let [before, above]: (Line | undefined)[] = [];

  function levelOf(style: string): number {
    if (!styles.includes(style)) styles.push(style);
    return Math.min(6, styles.indexOf(style) + 1);
  }

  for (const line of linesOf(text)) {
    const mark = markOf(line.content);
    const isTitle = above && mark !== undefined && isTitleOver(line, above);
    if (above && isTitle) {
      const isOverlined = before !== undefined && before.content.trimEnd() === line.content.trimEnd();
      // Only a title between two lines may be indented.
      if (isOverlined || !/^\s/.test(above.content)) {
        const from = isOverlined && before ? before.from : above.from;
        enter(levelOf(isOverlined ? `${mark}${mark}` : `${mark}`), above.content, { from, to: line.to });
        [before, above] = [undefined, undefined];
        continue;
      }
    }
    [before, above] = [above, line];
  }
  return whole();
}

/** The character that a line consists of. */
function markOf(line: string): string | undefined {
  return /^([!-/:-@[-`{-~])\1*\s*$/.exec(line)?.[1];
}

function isTitleOver({ content }: Line, { content: title }: Line): boolean {
  if (title.trim() === '' || markOf(title) !== undefined) return false;
  const length = content.trimEnd().length;
  // Docutils accepts a shorter line of at least four characters, with a warning.
  return length >= title.trimEnd().length || length >= 4;
}
