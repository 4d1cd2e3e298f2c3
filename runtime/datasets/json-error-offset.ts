/** Where a text stops being JSON: Bun's own errors do not say. */

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const BLANKS = /[ \t\n\r]*/y;
const MOST_LEVELS = 500;

/** From 0; the length of a text that ends too early. For a text that `JSON.parse` has refused. */
export function jsonErrorOffset(text: string): number {
  let at = 0;

  function takes(token: RegExp): boolean {
    token.lastIndex = at;
    const isThere = token.test(text);
    if (isThere) at = token.lastIndex;
    return isThere;
  }
  function takesSign(sign: string): boolean {
    takes(BLANKS);
    const isThere = text.startsWith(sign, at);
    if (isThere) at += sign.length;
    takes(BLANKS);
    return isThere;
  }
  function takesList(end: string, takesItem: () => boolean): boolean {
    if (takesSign(end)) return true;
    do if (!takesItem()) return false;
    while (takesSign(','));
    return takesSign(end);
  }
  function takesValue(level: number): boolean {
    takes(BLANKS);
    if (level > MOST_LEVELS) return false;
    if (takesSign('[')) return takesList(']', () => takesValue(level + 1));
    if (takesSign('{')) return takesList('}', () => takes(STRING) && takesSign(':') && takesValue(level + 1));
    return takes(STRING) || takes(WORD);
  }

  takesValue(0);
  takes(BLANKS);
  return at;
}
