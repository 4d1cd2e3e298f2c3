/** Rows as a Markdown table. */
import type { QueryResult, SqlCell } from '../tools/sql/engine.ts';

/** At most `limit` rows; values cannot leave their cell. */
export function markdownTable({ columns, rows }: QueryResult, limit: number): string {
  const names = columns.map(({ name }) => name);
  const line = (cells: string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  return [
    line(names),
    `|${' --- |'.repeat(names.length)}`,
    ...rows.slice(0, limit).map((row) => line(names.map((name) => textOf(row[name])))),
  ].join('\n');
}

function textOf(cell: SqlCell | undefined): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

function escaped(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\|`<>[\]]/g, (character) => `\\${character}`)
    .trim();
}
