/** Whether the SQL workflows' database can be opened and has tables. */
import { statSync } from 'node:fs';
import type { LoadedSettings } from '../../../../settings/load.ts';
import { SkeinError } from '../../../../state/errors.ts';
import type { SqlDatabase } from '../../../../tools/sql/open.ts';
import { type Check, failure, ok, warning } from '../../../service/checks/check.ts';

const NAME = 'SQL database';

/** Uses the same process and guard as the workflows; `sql` is the configured database, without creating sample data. */
export async function sqlDatabaseCheck(
  { local_sql_db, cloud_sql }: LoadedSettings['settings'],
  { sql, seeds }: { sql: SqlDatabase; seeds: boolean },
): Promise<Check> {
  const isServer = cloud_sql !== undefined && cloud_sql.database_name !== 'skip';
  const path = local_sql_db.database_path;
  const found = isServer ? undefined : statSync(path, { throwIfNoEntry: false });
  if (!isServer && !found) {
    if (seeds) return ok(NAME, `${path}: created with sample data at the first start`);
    const todo = 'run skein db import FILE or skein db seed, or fix local_sql_db.database_path';
    return warning(NAME, `${path}: file does not exist`, todo);
  }
  if (found && !found.isFile())
    return failure(NAME, `${path}: expected a file`, 'fix local_sql_db.database_path');
  const label = isServer ? 'the server of cloud_sql' : path;
  try {
    const tables = await sql.open({ maxRows: 1, querySeconds: 5 }).tables();
    if (tables.length > 0) return ok(NAME, `${label}: ${counted(tables.length, 'table')}`);
    return warning(NAME, `${label}: no tables`, isServer ? undefined : 'add one with skein db import FILE');
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    if (error.code === 'NO_TABLES_FOUND')
      return warning(NAME, `${label}: no tables`, isServer ? undefined : 'add one with skein db import FILE');
    const reason =
      error.field === undefined ? [error.message, error.detail].filter(Boolean).join(': ') : error.message;
    const todo = isServer
      ? 'check cloud_sql, SQL_USERNAME and SQL_PASSWORD'
      : 'close the program that uses it; if the file is damaged, move it away and run skein db seed';
    return failure(NAME, `${label}: ${reason}`, todo);
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
