/** Text that may go anywhere: well-formed, with one kind of line end, and without control characters. */

// All but tab and line end.
const CONTROL = /(?![\t\n])\p{Cc}/gu;

/** What is taken out leaves a space, so that words stay apart. */
export function cleaned(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(CONTROL, ' ')
    .replace(/\ufeff/g, '')
    .toWellFormed();
}

/** On one line. */
export function oneLine(text: string): string {
  return cleaned(text).replace(/\s+/g, ' ').trim();
}
