/** Searches an owner's crons. */

import { CRON_ORDERS, type CronRow } from '../../driver/cron-rows.ts';
import type { CronSearch } from '../../resources/crons.ts';
import type { Database } from '../database/database.ts';
import { hasFields, type Parameters, parameters } from '../database/parameters.ts';
import { EXISTS } from './cron-statements.ts';

const TEXTS: CronSearch['sortBy'][] = ['cron_id', 'assistant_id', 'thread_id'];

export async function cronSearch(
  database: Database,
  search: CronSearch,
): Promise<{ rows: CronRow[]; total: number }> {
  const { owner, sortBy, descending, limit, offset } = search;
  const given = parameters(owner);
  const from = `FROM skein.crons AS c WHERE ${['c.owner = $1', EXISTS, ...conditions(search, given)].join(' AND ')}`;
  const column = TEXTS.includes(sortBy) ? `${CRON_ORDERS[sortBy]} COLLATE "C"` : CRON_ORDERS[sortBy];
  // Sorts null as the smallest value, as SQLite does.
  const order = descending ? `${column} DESC NULLS LAST, seq DESC` : `${column} ASC NULLS FIRST, seq ASC`;
  const count = given.values.length;
  const [rows, counted] = await Promise.all([
    database.all<CronRow>(
      `SELECT * ${from} ORDER BY ${order} LIMIT $${count + 1} OFFSET $${count + 2}`,
      ...given.values,
      limit,
      offset,
    ),
    database.get<{ total: number }>(`SELECT count(*) AS total ${from}`, ...given.values),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

function conditions({ assistantId, threadId, enabled, metadata }: CronSearch, given: Parameters): string[] {
  const where = hasFields('metadata', metadata, given);
  const fields = { assistant_id: assistantId, thread_id: threadId, enabled };
  for (const [column, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    where.push(`${column} = ${given.add(typeof value === 'boolean' ? Number(value) : value)}`);
  }
  return where;
}
