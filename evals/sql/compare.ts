/** Compares two results for equality. */
import type { SqlCell } from '../../tools/sql/engine.ts';

export type Rows = readonly (readonly SqlCell[])[];

export interface Rules {
  /** Whether the order of the rows counts. */
  ordered: boolean;
  /** Whether the answer may have more columns than the right one. */
  moreColumns: boolean;
}

const TOLERANCE = 1e-6;

/**
 * True for the same rows with the same counts. Column names are ignored, and their order counts only if two columns have the
 * same values; numbers are compared within a millionth, whatever their type.
 */
export function sameResult(right: Rows, given: Rows, { ordered, moreColumns }: Rules): boolean {
  if (right.length !== given.length) return false;
  const [first] = right;
  const [other] = given;
  if (!first || !other) return true;
  if (moreColumns ? other.length < first.length : other.length !== first.length) return false;
  const columns = matching(right, given);
  if (!columns) return false;
  const picked = given.map((row) => columns.map((column) => row[column] ?? null));
  return ordered ? sameRows(right, picked) : sameRows(inOrder(right), inOrder(picked));
}

/** Finds for each of the right columns the answer's column with its values: at the same position, or else the first. */
function matching(right: Rows, given: Rows): number[] | undefined {
  const width = right[0]?.length ?? 0;
  const others = [...(given[0]?.keys() ?? [])];
  const taken = new Set<number>();
  for (let column = 0; column < width; column++) {
    const values = inOrder(right.map((row) => [row[column] ?? null]));
    const fits = (at: number) =>
      !taken.has(at) && sameRows(values, inOrder(given.map((row) => [row[at] ?? null])));
    const found = [column, ...others].find(fits);
    if (found === undefined) return undefined;
    taken.add(found);
  }
  return [...taken];
}

function inOrder(rows: Rows): Rows {
  return rows.toSorted((a, b) => {
    for (const [index, cell] of a.entries()) {
      const difference = compareCells(cell, b[index] ?? null);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

function sameRows(rows: Rows, others: Rows): boolean {
  return rows.every((row, at) => row.every((cell, index) => sameCell(cell, others[at]?.[index] ?? null)));
}

function sameCell(a: SqlCell, b: SqlCell): boolean {
  const [first, second] = [numberOf(a), numberOf(b)];
  if (first === undefined || second === undefined) return textOf(a) === textOf(b);
  return Math.abs(first - second) <= TOLERANCE * Math.max(Math.abs(first), Math.abs(second));
}

function compareCells(a: SqlCell, b: SqlCell): number {
  const [first, second] = [numberOf(a), numberOf(b)];
  if (first !== undefined && second !== undefined) return sameCell(a, b) ? 0 : first - second;
  return textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0;
}

/** Exact decimals and big integers are strings. */
function numberOf(cell: SqlCell): number | undefined {
  if (typeof cell === 'number') return cell;
  return typeof cell === 'string' && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell) ? Number(cell) : undefined;
}

/** A date equals its midnight. */
function textOf(cell: SqlCell): string {
  return typeof cell === 'string' ? cell.replace(/[ T]00:00:00(?:\.0+)?Z?$/, '') : JSON.stringify(cell);
}
