/** What differs between two texts, line by line. */

// Two files of blank lines only have 65,536 lines each.
const MOST_PAIRS = 4_000_000;

/** Lines of both with `-`, `+` or a blank before them; lines that both have are those of a longest common sequence. */
export function lineDiff(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  if (a.length * b.length > MOST_PAIRS)
    return [...a.map((line) => `-${line}`), ...b.map((line) => `+${line}`)];
  const common = commonLengths(a, b);
  const diff: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const removing = i < a.length && (j >= b.length || at(common, i + 1, j) >= at(common, i, j + 1));
    if (i < a.length && j < b.length && a[i] === b[j]) {
      diff.push(` ${a[i]}`);
      i++;
      j++;
    } else if (removing) diff.push(`-${a[i++]}`);
    else diff.push(`+${b[j++]}`);
  }
  return diff;
}

/** How many lines the ends from `i` and from `j` have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths: number[][] = [];
  for (let i = a.length - 1; i >= 0; i--) {
    const row: number[] = [];
    for (let j = b.length - 1; j >= 0; j--) {
      const same = a[i] === b[j];
      row[j] = same ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), row[j + 1] ?? 0);
    }
    lengths[i] = row;
  }
  return lengths;
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
