/** The dialect of a CSV file: its delimiter, its quotes, and where its rows begin. */
import { literal } from '../../../../tools/sql/quote.ts';
import type { DuckDBFile } from '../duckdb-file.ts';

export interface Dialect {
  delimiter: string;
  quote: string;
  escapeSign: string;
  /** Lines before the header or the first row. */
  skip: number;
  hasHeader: boolean;
  columns: string[];
}

/** Reads the whole file. Prefers a dialect that fits every row, unless it finds no columns. */
export async function dialectOf(
  database: DuckDBFile,
  source: string,
  delimiter: string | undefined,
): Promise<Dialect> {
  const strict = await sniffed(database, source, { delimiter, isLenient: false }).catch(() => undefined);
  if (strict && strict.columns.length > 1) return strict;
  // If an unclosed quote breaks the whole file, detect the dialect from its beginning.
  const lenient = await sniffed(database, source, { delimiter, isLenient: true }).catch(() =>
    sniffed(database, source, { delimiter, isLenient: true, sample: 1_000 }),
  );
  return strict && lenient.columns.length < 2 ? strict : lenient;
}

interface Sniff {
  delimiter: string | undefined;
  /** Tolerate rows that don't fit the dialect. */
  isLenient: boolean;
  /** The number of rows to sample; all by default. */
  sample?: number;
}

async function sniffed(
  database: DuckDBFile,
  source: string,
  { delimiter, isLenient, sample = -1 }: Sniff,
): Promise<Dialect> {
  const given = delimiter === undefined ? '' : `, delim = ${literal(delimiter)}`;
  // Without the usual quote, a quoted value with a line break would count as bad rows.
  const lenient = isLenient ? ", ignore_errors = true, quote = '\"'" : '';
  // Otherwise lines that begin with # are silently skipped.
  const [found = []] = await database.rows(
    `SELECT "Delimiter", "Quote", "Escape", "SkipRows", "HasHeader", list_transform("Columns", lambda each: each.name)
     FROM sniff_csv(${literal(source)}, sample_size = ${sample}, comment = ''${given}${lenient})`,
  );
  const [separator, quote, escapeSign, skip, hasHeader, columns] = found;
  return {
    delimiter: plain(separator),
    quote: plain(quote),
    escapeSign: plain(escapeSign),
    skip: Number(skip),
    hasHeader: hasHeader === true,
    columns: Array.isArray(columns) ? columns.map(String) : [],
  };
}

function plain(sign: unknown): string {
  const text = String(sign);
  if (text === '(empty)') return '';
  return text === '\\t' ? '\t' : text;
}
