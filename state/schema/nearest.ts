/** Finds the known word for a "did you mean" suggestion. */

/** The known word nearest to `word`; undefined if none is near enough for a typo. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const candidates = known
    .map((candidate) => ({
      candidate,
      distance: distanceBetween(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ candidate, distance }) => distance <= tolerance(word, candidate))
    .sort((a, b) => a.distance - b.distance);
  return candidates[0]?.candidate ?? known.find((candidate) => isPrefix(word, candidate));
}

function tolerance(word: string, candidate: string): number {
  return Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
}

function isPrefix(word: string, candidate: string): boolean {
  return word.length >= 3 && candidate.startsWith(word.toLowerCase());
}

/** Edit distance in which swapping two neighbours counts as one edit (optimal string alignment distance). */
function distanceBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = cell(rows, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? cell(rows, i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(substitution, swap, cell(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1));
    }
    rows.push(row);
  }
  return cell(rows, a.length, b.length);
}

function cell(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
