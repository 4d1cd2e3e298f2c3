/** Formats the position of a character in a text, for messages. */

/** `line L column C (char N)` of an index: lines and columns count from 1, characters (code points) from 0. */
export function textPosition(text: string, at: number): string {
  const before = text.slice(0, at);
  const lines = before.split('\n');
  const [line, column, char] = [lines.length, points(lines.at(-1) ?? '') + 1, points(before)];
  return `line ${line} column ${column} (char ${char})`;
}

/** Counts code points: a surrogate pair is one. */
function points(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
