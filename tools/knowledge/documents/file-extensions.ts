/** The supported document formats, by file extension. */

export const ENDINGS = [
  '.md',
  '.txt',
  '.html',
  '.htm',
  '.pdf',
  '.docx',
  '.csv',
  '.xlsx',
  '.pptx',
  '.epub',
  '.eml',
  '.rst',
  '.adoc',
] as const;

export type Ending = (typeof ENDINGS)[number];

/** In lower case; undefined for an unsupported format. */
export function endingOf(name: string): Ending | undefined {
  const small = name.toLowerCase();
  return ENDINGS.find((ending) => small.endsWith(ending) && small.length > ending.length);
}
