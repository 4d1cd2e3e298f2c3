/** Says where a character of a text is, for messages. */

/** `line L column C (char N)` of an index: lines and columns count from 1, characters (code points) from 0. */
export function textPlace(text: string, at: number): string {
  const before = text.slice(0, at);
  const lines = before.split('\n');
  const [line, column, char] = [lines.length, points(lines.at(-1) ?? '') + 1, points(before)];
  return `line ${line} column ${column} (char ${char})`;
}

/** Code points: surrogates count by pairs. */
function points(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
