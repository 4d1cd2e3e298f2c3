/** The kinds of documents that can be read, by the ending of their names. */

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

/** In small letters; undefined where no such document can be read. */
export function endingOf(name: string): Ending | undefined {
  const small = name.toLowerCase();
  return ENDINGS.find((ending) => small.endsWith(ending) && small.length > ending.length);
}
