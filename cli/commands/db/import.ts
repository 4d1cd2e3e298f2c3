/** `skein db import`: creates a table from a file with rows. */
import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { configurationError } from '../../../state/errors.ts';
import { literal } from '../../../tools/sql/quote.ts';
import { failed, reasonWithLine } from '../../terminal/plain-errors.ts';
import { type StatusLine, statusLine } from '../../terminal/status-line.ts';
import { markedEncoding, writeAsUtf8 } from './csv/as-utf8.ts';
import { type CsvTarget, importCsv } from './csv/import-csv.ts';
import { type DuckDBFile, openDuckDB } from './duckdb-file.ts';
import { type Imported, printReport } from './import-report.ts';
import { markAsMadeBySkein } from './made-by-skein.ts';
import { quoted } from './quoted.ts';
import type { ReadOptions } from './read-options.ts';
import { changeDatabase } from './replace-database.ts';

export interface Import {
  file: string;
  table: string | undefined;
  replace: boolean;
  options: ReadOptions;
}

const READERS: Record<string, 'csv' | 'read_parquet' | 'read_json'> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.parquet': 'read_parquet',
  '.json': 'read_json',
  '.jsonl': 'read_json',
  '.ndjson': 'read_json',
};

/** Returns the exit code. Replaces an existing table only with --replace, and only after the whole file was read. */
export async function importFile(path: string, { file, table, replace, options }: Import): Promise<number> {
  const reader = READERS[endingOf(file).replace(/\.gz$/, '')];
  if (!reader || (reader === 'read_parquet' && endingOf(file).endsWith('.gz')))
    throw configurationError(
      file,
      `expected a file that ends in ${Object.keys(READERS).join(', ')}; all but Parquet may be compressed, as in .csv.gz`,
    );
  if (!existsSync(file) || !statSync(file).isFile()) return failed(`${file}: file does not exist`);
  const name = tableName(table, file);
  let imported: Imported | undefined;
  const isDone = await changeDatabase(path, async (draft) => {
    imported = await importInto(path, draft, { file, name, replace, reader, options });
    return imported !== undefined;
  });
  if (!isDone || !imported) return 1;
  printReport(`${file}: ${imported.rows} rows are now in table ${name} of ${path}`, imported);
  return 0;
}

function endingOf(file: string): string {
  return /(\.[^./\\]+)?(\.gz)?$/.exec(file.toLowerCase())?.[0] ?? '';
}

interface Wanted {
  file: string;
  name: string;
  replace: boolean;
  reader: 'csv' | 'read_parquet' | 'read_json';
  options: ReadOptions;
}

/** Undefined if it failed; the error has been printed. */
async function importInto(path: string, draft: string, wanted: Wanted): Promise<Imported | undefined> {
  const file = resolve(wanted.file);
  const decoded = `${draft}.csv`;
  const status = statusLine(process.stderr);
  let database: DuckDBFile | undefined;
  const isNew = !existsSync(draft);
  try {
    const encoding = wanted.reader === 'csv' ? await encodingOf(file, wanted.options) : undefined;
    const source = encoding === undefined ? file : decoded;
    database = await openDuckDB(draft, { mode: 'READ_WRITE', readable: [source, withoutPattern(source)] });
    if (isNew) await markAsMadeBySkein(database);
    const clash = await clashOf(database, wanted);
    if (clash !== undefined) {
      failed(`${path}: ${clash}`);
      return undefined;
    }
    if (encoding !== undefined) await writeAsUtf8(file, decoded, encoding);
    return await filled(database, wanted, { source: withoutPattern(source), status });
  } catch (error) {
    status.clear();
    failed(`${database ? wanted.file : path}: ${reasonWithLine(error)}`);
  } finally {
    status.clear();
    database?.close();
    await rm(decoded, { force: true });
  }
  return undefined;
}

/** Undefined for UTF-8, which DuckDB reads itself. */
async function encodingOf(file: string, { encoding }: ReadOptions): Promise<string | undefined> {
  const used = encoding ?? (await markedEncoding(file));
  return used === 'utf-8' ? undefined : used;
}

/** Why the name cannot be used. */
async function clashOf(database: DuckDBFile, { name, replace }: Wanted): Promise<string | undefined> {
  const there = (await database.names()).find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (there?.kind === 'view')
    return `${there.name} is a view, and --replace replaces only tables; choose another name with --table NAME`;
  if (there && !replace)
    return `table ${name} already exists; replace it with --replace, or choose another name with --table NAME`;
  return undefined;
}

/** Checkpoints, so that the file contains everything and no log remains beside it. */
async function filled(
  database: DuckDBFile,
  { file, name, reader, options }: Wanted,
  { source, status }: { source: string; status: StatusLine },
): Promise<Imported> {
  const imported =
    reader === 'csv'
      ? await importText(database, { source, name, status, options: withDelimiter(file, options) })
      : await importTyped(database, { source, name, reader, status });
  await database.rows('CHECKPOINT');
  return imported;
}

/** A .tsv file is split at tabs, even if another delimiter would fit. */
function withDelimiter(file: string, options: ReadOptions): ReadOptions {
  const isTabbed = endingOf(file).startsWith('.tsv');
  return { ...options, delimiter: options.delimiter ?? (isTabbed ? '\t' : undefined) };
}

async function importText(database: DuckDBFile, target: CsvTarget): Promise<Imported> {
  const { columns, rows, ...left } = await importCsv(database, target);
  return { columns, rows, details: left };
}

interface Typed {
  source: string;
  name: string;
  reader: 'read_parquet' | 'read_json';
  status: StatusLine;
}

/** For a file with types. Samples all rows of JSON: a field may occur late. */
async function importTyped(database: DuckDBFile, { source, name, reader, status }: Typed): Promise<Imported> {
  const whole = reader === 'read_json' ? ', sample_size = -1' : '';
  await database.watched(
    () =>
      database.rows(
        `CREATE OR REPLACE TABLE main.${quoted(name)} AS SELECT * FROM ${reader}(${literal(source)}${whole})`,
      ),
    (share) => status.show(`reading ${share}`),
  );
  const table = (await database.tables()).find((each) => each.name === name);
  return {
    rows: table?.rows ?? 0,
    columns: (table?.columns ?? []).map((column) => ({ ...column, notes: [] })),
  };
}

/** A name that needs no quotation marks, so that people and models can write it. */
function tableName(wanted: string | undefined, file: string): string {
  if (wanted !== undefined) {
    if (/^[A-Za-z_]\w{0,62}$/.test(wanted)) return wanted;
    throw configurationError(
      '--table',
      'expected a letter, then letters, digits or _, at most 63 characters',
    );
  }
  const base = file.replace(/^.*[/\\]/, '').slice(0, -endingOf(file).length);
  const plain = base
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 63)
    .toLowerCase();
  if (plain === '')
    throw configurationError(
      'arguments',
      'the file name is not a valid table name; set one with --table NAME',
    );
  return /^\d/.test(plain) ? `t_${plain}`.slice(0, 63) : plain;
}

/** DuckDB treats `*`, `?` and `[` in a file name as a pattern. */
function withoutPattern(path: string): string {
  return path.replace(/[*?[]/g, '[$&]');
}
