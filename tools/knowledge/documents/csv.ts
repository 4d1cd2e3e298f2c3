/** CSV: each row a paragraph of its own, `column: value; column: value`, that can be understood without the others. */
import { parse } from 'csv-parse/sync';
import { oneLine } from './clean.ts';
import type { DocumentText } from './document-text.ts';
import { decodeText } from './plain-text.ts';
import { UnreadableDocument } from './reader.ts';

// Each row repeats its column names, and a passage holds about fifty of them, so a wide table multiplies in size.
const MAX_COLUMNS = 1_000;

/** The first row names the columns. Throws UnreadableDocument; it says the line where it can. */
export function readCsv(bytes: Uint8Array): DocumentText {
  const [columns = [], ...rows] = records(decodeText(bytes));
  if ([columns, ...rows].some(({ length }) => length > MAX_COLUMNS))
    throw new UnreadableDocument(
      `It has more than ${MAX_COLUMNS} columns: split it into several documents of fewer columns`,
    );
  const names = columns.map(oneLine);
  const lines = rows.map((row) => lineOf(row, names)).filter((line) => line !== '');
  // A file of one row has no names.
  const text = rows.length === 0 ? names.filter(Boolean).join('; ') : lines.join('\n\n');
  return { text, sections: [{ headings: [], page: null, start: 0, end: text.length }] };
}

function lineOf(row: string[], names: string[]): string {
  const cells = row.flatMap((cell, index) => {
    const value = oneLine(cell);
    if (value === '') return [];
    return names[index] ? [`${names[index]}: ${value}`] : [value];
  });
  return cells.join('; ');
}

function records(text: string): string[][] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    const line = Number((error as { lines?: unknown }).lines);
    const place = line > 0 ? `, near line ${line}` : '';
    throw new UnreadableDocument(
      `It is no CSV that can be read${place}: look for a quote that is not closed`,
    );
  }
}

/** The one that the first line has most of. */
function delimiterOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: first.split(mark).length }));
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).mark;
}
