/** Formats the rows of a query for a prompt, and parses them from one. */
import { dataBlock } from '../text/block.ts';
import { jsonValues, taggedLines, untrustedJson } from '../text/untrusted-json.ts';
import { cutText, hasZonedTimes } from './cuts.ts';
import type { Column, QueryResult, SqlCell } from './engine.ts';

const TAG = 'query_result';
/** The maximum number of rows in the text. */
export const MAX_ROWS = 50;
const LONGEST_CELL = 200;
const LONGEST_SQL = 4_000;

export interface ReadResult {
  columns: Column[];
  /** Only the first rows; `rowCount` is the number of all rows. */
  rows: { [column: string]: SqlCell }[];
  rowCount: number;
  truncated: boolean;
}

/**
 * A block of lines between `<query_result>` tags, with all values as single-line JSON: the statement, the columns, up to fifty
 * rows, the limits that have truncated something, and the number of rows.
 *
 * <query_result> sql "SELECT city FROM stores" column "city" "VARCHAR" row ["Berlin"] rows 12, more were cut off: no
 * </query_result>
 */
export function resultText(
  sql: string,
  { columns, rows, rowCount, truncated, cuts = [] }: Omit<QueryResult, 'durationMs'>,
): string {
  return dataBlock(TAG, [
    `sql ${untrustedJson(sql, LONGEST_SQL)}`,
    ...columns.map(
      ({ name, type }) => `column ${untrustedJson(name, LONGEST_CELL)} ${untrustedJson(type, LONGEST_CELL)}`,
    ),
    ...(cuts.length > 0 ? [`limits ${untrustedJson(cutText(cuts), LONGEST_CELL)}`] : []),
    ...(hasZonedTimes(columns) ? ['times with a time zone are in UTC'] : []),
    ...rows
      .slice(0, MAX_ROWS)
      .map((row) => `row [${columns.map(({ name }) => untrustedJson(row[name], LONGEST_CELL)).join(', ')}]`),
    `rows ${rowCount}, more were cut off: ${truncated ? 'yes' : 'no'}`,
  ]);
}

/** The result in the first such block of a text; otherwise undefined. */
export function readResultText(text: string): ReadResult | undefined {
  const lines = taggedLines(text, TAG);
  const [, count, truncated] = /^rows (\d+), more were cut off: (yes|no)$/.exec(lines?.at(-1) ?? '') ?? [];
  if (!lines || count === undefined) return undefined;
  const columns = lines.flatMap((line): Column[] => {
    const [, ...parts] = /^column ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(line) ?? [];
    const [name, type] = jsonValues(parts.join(', ')) ?? [];
    return typeof name === 'string' && typeof type === 'string' ? [{ name, type }] : [];
  });
  const rows = lines.flatMap((line) => {
    const [cells] = line.startsWith('row ') ? (jsonValues(line.slice('row '.length)) ?? []) : [];
    if (!Array.isArray(cells)) return [];
    return [Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null]))];
  });
  return { columns, rows, rowCount: Number(count), truncated: truncated === 'yes' };
}
