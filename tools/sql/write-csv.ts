/** Rows as CSV (RFC 4180, but with \n as line ending). NULL is empty, an empty text is "", and nested values are JSON. */
import type { SqlCell } from './engine.ts';

export function csvLine(cells: readonly SqlCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: SqlCell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
