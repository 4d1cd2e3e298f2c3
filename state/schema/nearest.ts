/** Finds the known word that somebody probably meant, for "did you mean" sentences. */

/** The known word nearest to `word`, or undefined when none is near enough to be a typo of it. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({
      candidate,
      distance: distanceBetween(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ candidate, distance }) => distance <= tolerance(word, candidate))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate ?? known.find((candidate) => isBeginning(word, candidate));
}

function tolerance(word: string, candidate: string): number {
  return Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
}

function isBeginning(word: string, candidate: string): boolean {
  return word.length >= 3 && candidate.startsWith(word.toLowerCase());
}

/** Edits between two words, a swap of neighbours counting once (optimal string alignment distance). */
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
