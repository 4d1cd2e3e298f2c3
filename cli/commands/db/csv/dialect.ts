/** How a CSV file is written: what separates its values, and where its rows begin. */
import { literal } from '../../../../tools/sql/quote.ts';
import type { DuckDBFile } from '../duckdb-file.ts';

export interface Dialect {
  delimiter: string;
  quote: string;
  escapeSign: string;
  /** Lines before the header, or before the first row. */
  skip: number;
  hasHeader: boolean;
  columns: string[];
}

/** Looks at the whole file. A dialect in which every row fits wins, unless it is one that finds no columns. */
export async function dialectOf(
  database: DuckDBFile,
  source: string,
  delimiter: string | undefined,
): Promise<Dialect> {
  const strict = await sniffed(database, source, { delimiter, isLenient: false }).catch(() => undefined);
  if (strict && strict.columns.length > 1) return strict;
  // Where a mark that is never closed keeps the whole from fitting, the beginning says how the file is meant.
  const lenient = await sniffed(database, source, { delimiter, isLenient: true }).catch(() =>
    sniffed(database, source, { delimiter, isLenient: true, sample: 1_000 }),
  );
  return strict && lenient.columns.length < 2 ? strict : lenient;
}

interface Sniff {
  delimiter: string | undefined;
  /** Rows that do not fit are no reason against a dialect. */
  isLenient: boolean;
  /** How many rows it looks at; without it, all. */
  sample?: number;
}

async function sniffed(
  database: DuckDBFile,
  source: string,
  { delimiter, isLenient, sample = -1 }: Sniff,
): Promise<Dialect> {
  const given = delimiter === undefined ? '' : `, delim = ${literal(delimiter)}`;
  // Without the usual mark a quoted value with a line break would count as rows that do not fit.
  const lenient = isLenient ? ", ignore_errors = true, quote = '\"'" : '';
  // Otherwise lines that begin with # would be left out without a word.
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
