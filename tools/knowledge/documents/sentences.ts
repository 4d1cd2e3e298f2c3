/** Finds the positions at which a text may be split: after sentences and paragraphs, and before list items. */

/**
 * The end of a sentence with its quotes and brackets, of a paragraph, or of a line before a list item. Each
 * repetition starts where no other can, so matching takes linear time for any text.
 */
const ENDS =
  /(?:(?<![.!?…])[.!?…]+["'”’»)\]]{0,4}(?=\s{1,9}[^\s\p{Ll}])|[。！？]+|\n(?=[ \t]*\n)|\n(?=[ \t]{0,9}(?:[-*+•|]|\d{1,3}[.)])[ \t]?))\s*/gu;

/** The positions between `start` and `end`, both exclusive, in order. */
export function* sentenceEnds(text: string, start: number, end: number): Generator<number> {
  const ends = new RegExp(ENDS);
  ends.lastIndex = start;
  for (let found = ends.exec(text); found && ends.lastIndex < end; found = ends.exec(text)) {
    if (ends.lastIndex > start) yield ends.lastIndex;
  }
}

/**
 * Positions between `start` and `end` that split the text into parts of at most `most` characters, at word boundaries if
 * possible.
 */
export function* wordEnds(text: string, { start, end, most }: { start: number; end: number; most: number }) {
  for (let from = start; end - from > most; ) {
    const space = lastSpace(text, from + Math.floor(most / 2), from + most);
    from = space ?? from + most - (isSecondHalf(text.charCodeAt(from + most)) ? 1 : 0);
    yield from;
  }
}

/** The position after the last white space between the two. */
function lastSpace(text: string, from: number, to: number): number | undefined {
  for (let at = to - 1; at >= from; at--) if (/\s/.test(text.charAt(at))) return at + 1;
  return undefined;
}

/** Whether the position would split a surrogate pair. */
function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
