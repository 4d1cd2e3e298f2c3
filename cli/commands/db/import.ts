/** `skein db import`: a file with rows becomes a table. */
import { existsSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { configurationError } from '../../../state/errors.ts';
import { identifier, literal } from '../../../tools/sql/quote.ts';
import { failed, placeIn, printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import { type DuckDBFile, openDuckDB } from './duckdb-file.ts';
import { markAsMadeBySkein } from './made-by-skein.ts';
import { changeDatabase } from './replace-database.ts';

export interface Import {
  file: string;
  table: string | undefined;
  replace: boolean;
}

const READERS: Record<string, string> = {
  '.csv': 'read_csv',
  '.tsv': 'read_csv',
  '.parquet': 'read_parquet',
  '.json': 'read_json',
  '.jsonl': 'read_json',
  '.ndjson': 'read_json',
};

/** Gives the exit code. A table that is there is replaced only where this is asked for, and only by a whole one. */
export async function importFile(path: string, { file, table, replace }: Import): Promise<number> {
  const reader = READERS[extname(file).toLowerCase()];
  if (!reader)
    throw configurationError(file, `expected a file that ends in ${Object.keys(READERS).join(', ')}`);
  if (!existsSync(file) || !statSync(file).isFile()) return failed(`${file}: there is no such file`);
  const name = tableName(table, file);
  let rows: string | undefined;
  const isDone = await changeDatabase(path, async (draft) => {
    rows = await importInto(path, draft, { file, name, replace, reader });
    return rows !== undefined;
  });
  if (!isDone) return 1;
  print(printable(`${file}: ${rows} rows are now in table ${name} of ${path}`));
  return 0;
}

interface Wanted {
  file: string;
  name: string;
  replace: boolean;
  reader: string;
}

/** Gives how many rows the table has; undefined where it failed, and that was said. */
async function importInto(path: string, draft: string, wanted: Wanted): Promise<string | undefined> {
  const file = resolve(wanted.file);
  const source = withoutPattern(file);
  let database: DuckDBFile | undefined;
  const isNew = !existsSync(draft);
  try {
    database = await openDuckDB(draft, { mode: 'READ_WRITE', readable: [file, source] });
    if (isNew) await markAsMadeBySkein(database);
    const clash = await clashOf(database, wanted);
    if (clash === undefined) return await filled(database, wanted, source);
    failed(`${path}: ${clash}`);
  } catch (error) {
    failed(`${database ? wanted.file : path}: ${placeIn(error)}`);
  } finally {
    database?.close();
  }
  return undefined;
}

/** Why the name cannot be taken. */
async function clashOf(database: DuckDBFile, { name, replace }: Wanted): Promise<string | undefined> {
  const there = (await database.names()).find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (there?.kind === 'view')
    return `there is a view ${there.name}, and --replace replaces only tables; --table NAME takes another name`;
  if (there && !replace)
    return `there is a table ${name} already; --replace replaces it, --table NAME takes another name`;
  return undefined;
}

/** Ends with everything in the file, and nothing in a log beside it. */
async function filled(database: DuckDBFile, { name, reader }: Wanted, source: string): Promise<string> {
  const rows = `${reader}(${literal(source)})`;
  await database.rows(`CREATE OR REPLACE TABLE ${identifier(name)} AS SELECT * FROM ${rows}`);
  const [[count] = []] = await database.rows(`SELECT count(*)::VARCHAR FROM ${identifier(name)}`);
  await database.rows('CHECKPOINT');
  return String(count);
}

/** A name that needs no quotation marks, so that people and models can write it. */
function tableName(wanted: string | undefined, file: string): string {
  if (wanted !== undefined) {
    if (/^[A-Za-z_]\w{0,62}$/.test(wanted)) return wanted;
    throw configurationError('--table', 'expected a letter, then letters, digits and _, 63 at most');
  }
  const base = file.replace(/^.*[/\\]/, '').slice(0, -extname(file).length);
  const plain = base
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 63)
    .toLowerCase();
  if (plain === '')
    throw configurationError('arguments', 'no table can be called after this file: --table NAME says how');
  return /^\d/.test(plain) ? `t_${plain}`.slice(0, 63) : plain;
}

/** DuckDB takes `*`, `?` and `[` in a name for a pattern of many names. */
function withoutPattern(path: string): string {
  return path.replace(/[*?[]/g, '[$&]');
}
