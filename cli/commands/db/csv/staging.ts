/** The values of a CSV file as it has them, in a temporary table of texts; rows that do not fit are kept apart. */
import { literal } from '../../../../tools/sql/quote.ts';
import type { DuckDBFile } from '../duckdb-file.ts';
import { quoted } from '../quoted.ts';
import type { Dialect } from './dialect.ts';

export const STAGING = 'temp.main.skein_import';

export interface SkippedRow {
  line: number;
  reason: string;
  text: string;
}

export interface Staged {
  rows: number;
  skipped: { count: number; first: SkippedRow[] };
}

const LISTED = 10;
const LONGEST_LINE = 80;

/** Throws where a quotation mark is never closed, since all that follows is lost, and where the text is no UTF-8. */
export async function stage(database: DuckDBFile, source: string, dialect: Dialect): Promise<Staged> {
  const { delimiter, quote, escapeSign, skip, hasHeader, columns } = dialect;
  const types = columns.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  await database.rows(
    `CREATE OR REPLACE TEMP TABLE ${STAGING} AS SELECT * FROM read_csv(${literal(source)}, auto_detect = false,
     delim = ${literal(delimiter)}, quote = ${literal(quote)}, escape = ${literal(escapeSign)}, skip = ${skip},
     header = ${hasHeader}, columns = {${types}}, store_rejects = true)`,
  );
  await refuseLost(database);
  const [[rows] = []] = await database.rows(`SELECT count(*)::INTEGER FROM ${STAGING}`);
  const [[count] = []] = await database.rows('SELECT count(DISTINCT line)::INTEGER FROM reject_errors');
  const first = await database.rows(
    `SELECT line::INTEGER, any_value(error_message), any_value(csv_line) FROM reject_errors GROUP BY line
     ORDER BY line LIMIT ${LISTED}`,
  );
  return {
    rows: Number(rows),
    skipped: { count: Number(count), first: first.map((row) => skippedRow(row, columns.length)) },
  };
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
    super(`Line: ${line}; the text is not UTF-8: say what it is, as in --encoding windows-1252`);
  }
}

function skippedRow([line, message, text]: unknown[], columns: number): SkippedRow {
  const [, found] = /Found: (\d+)/.exec(String(message)) ?? [];
  const shown = String(text ?? '').trimEnd();
  return {
    line: Number(line),
    reason: found ? `${found} ${found === '1' ? 'value' : 'values'}, expected ${columns}` : String(message),
    text: shown.length > LONGEST_LINE ? `${shown.slice(0, LONGEST_LINE)}…` : shown,
  };
}

/** The values of a column, without the spaces around them. */
export function trimmed(column: string): string {
  return `trim(${quoted(column)})`;
}
