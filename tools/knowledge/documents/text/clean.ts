/** Normalizes text: well-formed, one kind of line ending, no control characters. */

// All control characters except tab and line feed.
const CONTROL = /(?![\t\n])\p{Cc}/gu;

/** Replaces each removed character by a space, so that words stay separate. */
export function cleaned(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(CONTROL, ' ')
    .replace(/\ufeff/g, '')
    .toWellFormed();
}

/** The text on a single line. */
export function oneLine(text: string): string {
  return cleaned(text).replace(/\s+/g, ' ').trim();
}
