/** A text as a part of a file's name that every system takes. */

const LONGEST = 60;

/** Letters, digits and hyphens; `otherwise` where none are left. */
export function fileName(text: string, otherwise: string): string {
  const words = text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-');
  const short = [...words]
    .slice(0, LONGEST)
    .join('')
    .replace(/^-+|-+$/g, '');
  return short || otherwise;
}
