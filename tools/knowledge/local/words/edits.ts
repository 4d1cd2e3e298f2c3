/** Counts the spelling mistakes between two words: missing, extra, wrong or swapped letters. */

/** Returns the number if it is at most `most`, otherwise undefined. Uses optimal string alignment with early exit. */
export function editsBetween(one: string, other: string, most: number): number | undefined {
  if (Math.abs(one.length - other.length) > most) return undefined;
  const width = other.length + 1;
  let before = new Array<number>(width).fill(0);
  let above = Array.from({ length: width }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = new Array<number>(width).fill(row);
    let least = row;
    for (let column = 1; column < width; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let edits = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const areSwapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (areSwapped) edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
      current[column] = edits;
      least = Math.min(least, edits);
    }
    if (least > most) return undefined;
    before = above;
    above = current;
  }
  const edits = above[other.length] ?? 0;
  return edits <= most ? edits : undefined;
}
