/** `skein db drop`: drops a table of the local database. */
import { existsSync } from 'node:fs';
import { failed, printable, reasonOf } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import { type DuckDBFile, openDuckDB } from './duckdb-file.ts';
import { quoted } from './quoted.ts';
import { changeDatabase } from './replace-database.ts';

/** Returns the exit code. Table names are case-insensitive, as in SQL. */
export async function dropTable(path: string, wanted: string): Promise<number> {
  if (!existsSync(path)) return failed(`${path}: file does not exist`);
  let dropped: string | undefined;
  const isDone = await changeDatabase(path, async (draft) => {
    const database = await openDuckDB(draft, { mode: 'READ_WRITE' });
    try {
      dropped = await dropIn(database, wanted, path);
    } catch (error) {
      failed(`${path}: ${reasonOf(error)}`);
    } finally {
      database.close();
    }
    return dropped !== undefined;
  });
  if (!isDone) return 1;
  print(printable(`table ${dropped} is dropped from ${path}`));
  return 0;
}

/** Undefined if the table does not exist; the error has been printed. */
async function dropIn(database: DuckDBFile, wanted: string, path: string): Promise<string | undefined> {
  const names = await database.names();
  const found = names.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found?.kind !== 'table') {
    const tables = names.filter(({ kind }) => kind === 'table').map(({ name }) => name);
    const there = tables.length > 0 ? `the tables are ${tables.sort().join(', ')}` : 'there are none';
    failed(`${path}: table ${wanted} does not exist; ${there}`);
    return undefined;
  }
  await database.rows(`DROP TABLE main.${quoted(found.name)}`);
  await database.rows('CHECKPOINT');
  return found.name;
}
