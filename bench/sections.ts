/** Replaces sections of bench/README.md. */

/** Replaces the section with the same heading, or appends the section. */
export function withSection(text: string, section: string): string {
  const heading = section.slice(0, section.indexOf('\n') + 1);
  const start = text.startsWith(heading) ? 0 : text.indexOf(`\n${heading}`) + 1;
  if (start === 0 && !text.startsWith(heading)) return `${text.trimEnd()}\n\n${section}`;
  const end = text.indexOf('\n## ', start + heading.length);
  return text.slice(0, start) + section + (end < 0 ? '' : text.slice(end));
}
