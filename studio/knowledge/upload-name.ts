/** What a file is called once it is uploaded: the service takes plain names. */

export const ENDINGS = ['md', 'txt', 'html', 'pdf', 'docx', 'csv'];
export const MOST_BYTES = 20 * 1024 * 1024;

/** Letters lose their accents, and whatever else a name may not have becomes a hyphen. */
export function uploadName(given: string): string {
  const dot = given.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [given.slice(0, dot), given.slice(dot + 1).toLowerCase()] : [given, ''];
  const plain = stem
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/[.-]+$/, '')
    .slice(0, 128);
  const known = ENDINGS_OF[ending] ?? ending;
  return `${plain || 'document'}${known && `.${known}`}`;
}

const ENDINGS_OF: Record<string, string> = { htm: 'html', markdown: 'md', text: 'txt' };

/** Why it cannot be uploaded; undefined where it can. */
export function refusalOf(name: string, { size }: { size: number }): string | undefined {
  if (!ENDINGS.includes(name.split('.').at(-1) ?? '') || !name.includes('.'))
    return `Only ${ENDINGS.slice(0, -1).join(', ')} and ${ENDINGS.at(-1)} files can be read.`;
  if (size === 0) return 'The file is empty.';
  return size > MOST_BYTES ? 'The file is larger than 20 MiB.' : undefined;
}
