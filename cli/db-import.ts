/** `skein db import`: a file with rows becomes a table. */
import { existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { identifier, literal } from '../graphs/tools/sql/quote.ts';
import { configurationError } from '../state/errors.ts';
import { type DuckDBFile, openDuckDB } from './duckdb-file.ts';

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
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${Bun.randomUUIDv7()}.tmp`;
  try {
    return await replaced(path, draft, { file, name, replace, reader });
  } finally {
    await Promise.all([draft, `${draft}.wal`].map((each) => rm(each, { force: true })));
  }
}

/** Beside the database and then in its place: a service that reads it holds a lock, and finds the new one by itself. */
async function replaced(path: string, draft: string, wanted: Wanted): Promise<number> {
  const before = versionOf(path);
  if (before !== undefined) await copyFile(path, draft);
  const rows = await importInto(path, draft, wanted);
  if (rows === undefined) return 1;
  if (versionOf(path) !== before) return failed(`${path}: it was changed meanwhile; try again`);
  await rename(draft, path);
  console.log(`${wanted.file}: ${rows} rows are now in table ${wanted.name} of ${path}`);
  return 0;
}

function versionOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}

interface Wanted {
  file: string;
  name: string;
  replace: boolean;
  reader: string;
}

/** Gives how many rows the table has; undefined where it failed, and that was said. */
async function importInto(
  path: string,
  draft: string,
  { file, name, replace, reader }: Wanted,
): Promise<string | undefined> {
  let database: DuckDBFile | undefined;
  try {
    database = await openDuckDB(draft, 'READ_WRITE');
    const isThere = (await database.tables()).some((each) => each.name.toLowerCase() === name.toLowerCase());
    if (isThere && !replace) {
      failed(
        `${path}: there is a table ${name} already; --replace replaces it, --table NAME takes another name`,
      );
      return undefined;
    }
    const source = `${reader}(${literal(withoutPattern(resolve(file)))})`;
    await database.rows(`CREATE OR REPLACE TABLE ${identifier(name)} AS SELECT * FROM ${source}`);
    const [[rows] = []] = await database.rows(`SELECT count(*)::VARCHAR FROM ${identifier(name)}`);
    return String(rows);
  } catch (error) {
    failed(database ? `${file}: ${placeIn(error)}` : `${path}: ${placeIn(error)}`);
    return undefined;
  } finally {
    database?.close();
  }
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

function failed(message: string): number {
  console.error(message);
  return 1;
}

/** The database's reason with the line it is about, without its advice on options that this command does not have. */
function placeIn(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/could not set lock/i.test(text)) return 'another process uses this file; stop it first';
  const [advice = ''] = text.split(/\n\s*(?:Possible (?:fixes|solutions)|Try |See also|LINE \d|\* )/i);
  return advice
    .replace(/\n\s*/g, '; ')
    .replace(/["']?[^"'\s]*\/([^/"'\s]+)["']?/g, '$1')
    .trim();
}
