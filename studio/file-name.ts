/** Makes a part of a file name that is valid on every operating system. */

const MAX_LENGTH = 60;

/** Keeps letters and digits, joined with hyphens. Returns `fallback` if none are left. */
export function fileName(text: string, fallback: string): string {
  const words = text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-');
  const short = [...words]
    .slice(0, MAX_LENGTH)
    .join('')
    .replace(/^-+|-+$/g, '');
  return short || fallback;
}
