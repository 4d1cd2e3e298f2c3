/** A table as text: each row becomes a self-contained paragraph, `column: value; column: value`. */

import { UnreadableDocument } from '../reader.ts';
import { oneLine } from './clean.ts';

// Each row repeats the column names, and a passage has space for about fifty names, so the text of a wide table becomes many
// times as large as the table.
const MAX_COLUMNS = 1_000;

/** The first row names the columns. Throws UnreadableDocument if there are too many. */
export function tableText([columns = [], ...rows]: readonly (readonly string[])[]): string {
  if ([columns, ...rows].some(({ length }) => length > MAX_COLUMNS))
    throw new UnreadableDocument(
      `It has more than ${MAX_COLUMNS} columns: split it into several documents with fewer columns`,
    );
  const names = columns.map(oneLine);
  // A table with one row has no header.
  if (rows.length === 0) return names.filter(Boolean).join('; ');
  const lines = rows.map((row) => lineOf(row, names)).filter((line) => line !== '');
  return lines.join('\n\n');
}

function lineOf(row: readonly string[], names: readonly string[]): string {
  const cells = row.flatMap((cell, index) => {
    const value = oneLine(cell);
    if (value === '') return [];
    return names[index] ? [`${names[index]}: ${value}`] : [value];
  });
  return cells.join('; ');
}
