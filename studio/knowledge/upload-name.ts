/** Derives a document name that the service accepts from the name of a file. */

export const ENDINGS = [
  ...['md', 'txt', 'html', 'htm', 'pdf', 'docx', 'csv'],
  ...['xlsx', 'pptx', 'epub', 'eml', 'rst', 'adoc'],
];
const MAX_BYTES = 20 * 1024 * 1024;
// A name has at most 255 bytes, including its extension.
const MAX_STEM_BYTES = 249;

/** Replaces characters that aren't allowed by hyphens. */
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
  while (new TextEncoder().encode(short.join('')).length > MAX_STEM_BYTES) short = short.slice(0, -1);
  return short.join('');
}

/** Why the file can't be uploaded; undefined if it can. */
export function uploadProblem(name: string, { size }: { size: number }): string | undefined {
  if (!ENDINGS.includes(name.split('.').at(-1) ?? '') || !name.includes('.'))
    return `Only ${ENDINGS.slice(0, -1).join(', ')} and ${ENDINGS.at(-1)} files are supported.`;
  if (size === 0) return 'The file is empty.';
  return size > MAX_BYTES ? 'The file is larger than 20 MiB.' : undefined;
}
