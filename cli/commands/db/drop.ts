/** `skein db drop`: takes a table out of the local database. */
import { existsSync } from 'node:fs';
import { failed, printable, reasonOf } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import { type DuckDBFile, openDuckDB } from './duckdb-file.ts';
import { quoted } from './quoted.ts';
import { changeDatabase } from './replace-database.ts';

/** Gives the exit code. A name is that of a table in any case, as in SQL. */
export async function dropTable(path: string, wanted: string): Promise<number> {
  if (!existsSync(path)) return failed(`${path}: there is no such file`);
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
  print(printable(`table ${dropped} is no longer in ${path}`));
  return 0;
}

/** Undefined where there is no such table, and that was said. */
async function dropIn(database: DuckDBFile, wanted: string, path: string): Promise<string | undefined> {
  const names = await database.names();
  const found = names.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found?.kind !== 'table') {
    const tables = names.filter(({ kind }) => kind === 'table').map(({ name }) => name);
    const there = tables.length > 0 ? `there are ${tables.sort().join(', ')}` : 'there are none';
    failed(`${path}: there is no table ${wanted}; ${there}`);
    return undefined;
  }
  await database.rows(`DROP TABLE main.${quoted(found.name)}`);
  await database.rows('CHECKPOINT');
  return found.name;
}
