/** A temporary table with the values of a CSV file as text; rows that don't fit are stored separately. */
import { literal } from '../../../../tools/sql/quote.ts';
import type { DuckDBFile } from '../duckdb-file.ts';
import { quoted } from '../quoted.ts';
import type { Dialect } from './dialect.ts';

export const STAGING = 'temp.main.skein_import';

interface SkippedRow {
  line: number;
  reason: string;
  text: string;
}

export interface Staged {
  rows: number;
  /** Omitted rows. */
  skipped: { count: number; first: SkippedRow[] };
  /** Rows that are kept although their last values are missing. */
  short: { count: number; first: SkippedRow[] };
}

const LISTED = 10;
const LONGEST_LINE = 80;

/**
 * Rows with fewer values than columns are kept, with NULL for the missing ones. Throws if a quotation mark is never closed,
 * since all that follows is lost, and if the text is not UTF-8.
 */
export async function stage(database: DuckDBFile, source: string, dialect: Dialect): Promise<Staged> {
  await read(database, source, { ...dialect, isPadded: false });
  const short = await rejected(database, dialect, "= 'MISSING COLUMNS'");
  if (short.count > 0) await read(database, source, { ...dialect, isPadded: true });
  const skipped = await rejected(database, dialect, 'IS NOT NULL');
  const [[rows] = []] = await database.rows(`SELECT count(*)::INTEGER FROM ${STAGING}`);
  return { rows: Number(rows), short, skipped };
}

async function read(
  database: DuckDBFile,
  source: string,
  { delimiter, quote, escapeSign, skip, hasHeader, columns, isPadded }: Dialect & { isPadded: boolean },
): Promise<void> {
  const types = columns.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  // If values have line breaks, DuckDB pads rows only without parallel reading.
  const padded = isPadded ? ', null_padding = true, parallel = false' : '';
  for (const table of ['reject_errors', 'reject_scans']) await database.rows(`DROP TABLE IF EXISTS ${table}`);
  await database.rows(
    `CREATE OR REPLACE TEMP TABLE ${STAGING} AS SELECT * FROM read_csv(${literal(source)}, auto_detect = false,
     delim = ${literal(delimiter)}, quote = ${literal(quote)}, escape = ${literal(escapeSign)}, skip = ${skip},
     header = ${hasHeader}, columns = {${types}}, store_rejects = true${padded})`,
  );
  await refuseLost(database);
}

/** Rows with these kinds of errors. */
async function rejected(
  database: DuckDBFile,
  { columns }: Dialect,
  kinds: string,
): Promise<Staged['skipped']> {
  const errors = `FROM reject_errors WHERE error_type::VARCHAR ${kinds}`;
  const [[count] = []] = await database.rows(`SELECT count(DISTINCT line)::INTEGER ${errors}`);
  const first = await database.rows(
    `SELECT line::INTEGER, any_value(error_message), any_value(csv_line) ${errors} GROUP BY line
     ORDER BY line LIMIT ${LISTED}`,
  );
  return { count: Number(count), first: first.map((row) => skippedRow(row, columns.length)) };
}

/** The lines before the header or the first row, at most three. */
export async function linesBefore(database: DuckDBFile, source: string, skip: number): Promise<string[]> {
  if (skip === 0) return [];
  const lines = await database.rows(
    `SELECT line FROM read_csv(${literal(source)}, auto_detect = false, delim = '\x01', quote = '', escape = '',
     header = false, columns = {'line': 'VARCHAR'}, ignore_errors = true) LIMIT ${Math.min(skip, 3)}`,
  );
  return lines.map(([line]) => shortened(String(line ?? '')));
}

async function refuseLost(database: DuckDBFile): Promise<void> {
  const [lost] = await database.rows(
    `SELECT error_type::VARCHAR, line::INTEGER FROM reject_errors
     WHERE error_type::VARCHAR IN ('UNQUOTED VALUE', 'INVALID ENCODING', 'LINE SIZE OVER MAXIMUM') ORDER BY line LIMIT 1`,
  );
  if (!lost) return;
  const [kind, line] = lost;
  if (kind === 'INVALID ENCODING') throw new NotUtf8(Number(line));
  const what =
    kind === 'UNQUOTED VALUE' ? 'a quotation mark is opened and never closed' : 'the line is too long';
  throw new Error(`Line: ${line}; ${what}`);
}

export class NotUtf8 extends Error {
  constructor(line: number) {
    super(`Line: ${line}; the text is not UTF-8; set its encoding, as in --encoding windows-1252`);
  }
}

function skippedRow([line, message, text]: unknown[], columns: number): SkippedRow {
  const [, found] = /Found: (\d+)/.exec(String(message)) ?? [];
  return {
    line: Number(line),
    reason: found ? `${found} ${found === '1' ? 'value' : 'values'}, expected ${columns}` : String(message),
    text: shortened(String(text ?? '').trimEnd()),
  };
}

function shortened(text: string): string {
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}

/** The values of a column without the spaces around them. */
export function trimmed(column: string): string {
  return `trim(${quoted(column)})`;
}
