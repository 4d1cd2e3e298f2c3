/** Whether the database that SQL workflows ask can be opened, and has tables. */
import { statSync } from 'node:fs';
import type { LoadedSettings } from '../../../../settings/load.ts';
import { SkeinError } from '../../../../state/errors.ts';
import type { SqlDatabase } from '../../../../tools/sql/open.ts';
import { type Check, failure, ok, warning } from '../../../service/check.ts';

const NAME = 'SQL database';

/** Through the same process and guard as the workflows: `sql` is the configured database, and makes no sample data. */
export async function sqlDatabaseCheck(
  { local_sql_db, cloud_sql }: LoadedSettings['settings'],
  { sql, seeds }: { sql: SqlDatabase; seeds: boolean },
): Promise<Check> {
  const isServer = cloud_sql !== undefined && cloud_sql.database_name !== 'skip';
  const path = local_sql_db.database_path;
  const found = isServer ? undefined : statSync(path, { throwIfNoEntry: false });
  if (!isServer && !found) {
    if (seeds) return ok(NAME, `${path}: made with sample data at the first start`);
    const todo =
      'skein db import FILE fills it, skein db seed makes sample data; or mend local_sql_db.database_path';
    return warning(NAME, `${path}: there is no such file`, todo);
  }
  if (found && !found.isFile())
    return failure(NAME, `${path}: expected a file`, 'mend local_sql_db.database_path');
  const place = isServer ? 'the server of cloud_sql' : path;
  try {
    const tables = await sql.open({ maxRows: 1, querySeconds: 5 }).tables();
    if (tables.length > 0) return ok(NAME, `${place}: ${counted(tables.length, 'table')}`);
    return warning(
      NAME,
      `${place}: it has no tables`,
      isServer ? undefined : 'skein db import FILE adds one',
    );
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    if (error.code === 'NO_TABLES_FOUND')
      return warning(
        NAME,
        `${place}: it has no tables`,
        isServer ? undefined : 'skein db import FILE adds one',
      );
    const reason =
      error.field === undefined ? [error.message, error.detail].filter(Boolean).join(': ') : error.message;
    const todo = isServer
      ? 'look at cloud_sql, SQL_USERNAME and SQL_PASSWORD'
      : 'close the program that has it open; a damaged file can be moved away, and skein db seed makes a new one';
    return failure(NAME, `${place}: ${reason}`, todo);
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
