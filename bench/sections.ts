/** The sections of bench/README.md, each below a heading of its own. */

/** The text with the section in place of the one of the same heading, or at its end. */
export function withSection(text: string, section: string): string {
  const heading = section.slice(0, section.indexOf('\n') + 1);
  const start = text.startsWith(heading) ? 0 : text.indexOf(`\n${heading}`) + 1;
  if (start === 0 && !text.startsWith(heading)) return `${text.trimEnd()}\n\n${section}`;
  const end = text.indexOf('\n## ', start + heading.length);
  return text.slice(0, start) + section + (end < 0 ? '' : text.slice(end));
}
