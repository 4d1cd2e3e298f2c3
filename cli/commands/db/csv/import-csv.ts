/** Creates a table from a CSV file: reads it as text, detects the types, and reports omitted lines and rows. */
import type { StatusLine } from '../../../terminal/status-line.ts';
import type { DuckDBFile } from '../duckdb-file.ts';
import { quoted } from '../quoted.ts';
import type { ReadOptions } from '../read-options.ts';
import { type ColumnType, columnType } from './column-types.ts';
import { dialectOf } from './dialect.ts';
import { linesBefore, NotUtf8, STAGING, type Staged, stage } from './staging.ts';

export interface CsvTarget {
  source: string;
  name: string;
  options: ReadOptions;
  status: StatusLine;
}

export interface CsvReport {
  columns: Pick<ColumnType, 'name' | 'type' | 'notes'>[];
  skipped: Staged['skipped'];
  short: Staged['short'];
  /** Lines before the header or the first row; `first` are some of them. */
  before: { count: number; first: string[] };
  rows: number;
}

/** Throws if the file has no rows, if most rows have too many values, or if the text cannot be read. */
export async function importCsv(
  database: DuckDBFile,
  { source, name, options, status }: CsvTarget,
): Promise<CsvReport> {
  status.show('reading the file');
  const dialect = await dialectOf(database, source, options.delimiter).catch(notUtf8);
  if (dialect.columns.length === 0) throw new Error('the file has no columns');
  const { rows, skipped, short } = await database.watched(
    () => stage(database, source, dialect),
    (share) => status.show(`reading ${share}`),
  );
  if (skipped.count > rows)
    throw new Error(
      `${skipped.count} of ${rows + skipped.count} rows do not have ${dialect.columns.length} values, the number of columns in the header. Check the delimiter, and that the file begins with its header`,
    );
  if (rows === 0 && !dialect.hasHeader) throw new Error('the file is empty');
  const columns: ColumnType[] = [];
  for (const column of dialect.columns) {
    status.show(`detecting types, column ${columns.length + 1} of ${dialect.columns.length}`);
    columns.push(await columnType(database, column, options));
  }
  const list = columns.map((column) => `${column.sql} AS ${quoted(column.name)}`);
  await database.watched(
    () =>
      database.rows(
        `CREATE OR REPLACE TABLE main.${quoted(name)} AS SELECT ${list.join(', ')} FROM ${STAGING}`,
      ),
    (share) => status.show(`writing ${share}`),
  );
  await database.rows(`DROP TABLE ${STAGING}`);
  const first = await linesBefore(database, source, dialect.skip);
  return { columns, skipped, short, rows, before: { count: dialect.skip, first } };
}

function notUtf8(error: unknown): never {
  const [, line] = /Line: (\d+)[\s\S]*not utf-8/i.exec(String(error)) ?? [];
  throw line === undefined ? error : new NotUtf8(Number(line));
}
