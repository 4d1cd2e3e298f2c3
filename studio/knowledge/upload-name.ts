/** What a file is called once it is uploaded: the service takes usual names, in any script. */

export const ENDINGS = [
  ...['md', 'txt', 'html', 'htm', 'pdf', 'docx', 'csv'],
  ...['xlsx', 'pptx', 'epub', 'eml', 'rst', 'adoc'],
];
const MOST_BYTES = 20 * 1024 * 1024;
// A name has at most 255, with its ending.
const MOST_STEM_BYTES = 249;

/** Whatever a name may not have becomes a hyphen. */
export function uploadName(given: string): string {
  const dot = given.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [given.slice(0, dot), given.slice(dot + 1).toLowerCase()] : [given, ''];
  const plain = stem
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N} ._\-+,'!&@#=~()[\]]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .replace(/[. -]+$/, '');
  const known = ENDINGS_OF[ending] ?? ending;
  return `${shortened(plain) || 'document'}${known && `.${known}`}`;
}

const ENDINGS_OF: Record<string, string> = { markdown: 'md', text: 'txt', asciidoc: 'adoc' };

function shortened(stem: string): string {
  let short = Array.from(stem).slice(0, 128);
  while (new TextEncoder().encode(short.join('')).length > MOST_STEM_BYTES) short = short.slice(0, -1);
  return short.join('');
}

/** Why it cannot be uploaded; undefined where it can. */
export function refusalOf(name: string, { size }: { size: number }): string | undefined {
  if (!ENDINGS.includes(name.split('.').at(-1) ?? '') || !name.includes('.'))
    return `Only ${ENDINGS.slice(0, -1).join(', ')} and ${ENDINGS.at(-1)} files can be read.`;
  if (size === 0) return 'The file is empty.';
  return size > MOST_BYTES ? 'The file is larger than 20 MiB.' : undefined;
}
