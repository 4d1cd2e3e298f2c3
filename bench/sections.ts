/** Replaces sections of bench/README.md. */

/** Replaces the section with the same heading, or appends the section. Without a measurement, `section` is empty. */
export function withSection(text: string, section: string): string {
  if (section === '') return text;
  const heading = section.slice(0, section.indexOf('\n') + 1);
  const start = text.indexOf(`\n${heading}`) + 1;
  if (start === 0) return `${text.trimEnd()}\n\n${section}`;
  const end = text.indexOf('\n## ', start + heading.length);
  return text.slice(0, start) + section + (end < 0 ? '' : text.slice(end));
}

/** Replaces the text before the first section. */
export function withHead(text: string, head: string): string {
  const start = text.indexOf('\n## ');
  return head + (start < 0 ? '' : text.slice(start));
}
