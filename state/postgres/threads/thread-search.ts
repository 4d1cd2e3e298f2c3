/** Searches and counts threads for LangGraph's clients by ids, metadata and status, in any order. */

import { type StoredThreadRow, toStoredThread } from '../../driver/stored-thread.ts';
import { threadsByStatus } from '../../driver/threads-by-status.ts';
import type { StoredThread, ThreadConditions, ThreadSearch } from '../../threads/archive.ts';
import { type Database, document } from '../database/database.ts';
import { hasFields, type Parameters, parameters } from '../database/parameters.ts';
import { CONDITIONS, STORED_THREAD } from './thread-rows.ts';

const ORDERS = {
  thread_id: 't.thread_id',
  created_at: 't.created_at',
  updated_at: 't.updated_at',
};

export async function searchThreads(database: Database, search: ThreadSearch): Promise<StoredThread[]> {
  const { sortBy, descending, limit, offset } = search;
  if (sortBy === 'status')
    return threadsByStatus(
      {
        search: (part) => searchThreads(database, part),
        count: (part, most) => countThreads(database, part, most),
      },
      search,
    );
  const given = parameters();
  const direction = descending ? 'DESC' : 'ASC';
  const rows = await database.all<StoredThreadRow>(
    `SELECT ${STORED_THREAD} ${matching(search, given)}
     ORDER BY ${ORDERS[sortBy]} ${direction}, t.key ${direction}
     LIMIT ${given.add(limit)} OFFSET ${given.add(offset)}`,
    ...given.values,
  );
  return rows.map(toStoredThread);
}

/** Stops counting at `most`. */
export async function countThreads(
  database: Database,
  conditions: ThreadConditions,
  most: number | undefined,
): Promise<number> {
  const given = parameters();
  const row = await database.get<{ total: number }>(
    `SELECT count(*) AS total FROM (SELECT 1 ${matching(conditions, given)} LIMIT ${given.add(most ?? null)}) AS found`,
    ...given.values,
  );
  return row?.total ?? 0;
}

function matching({ owner, ids, metadata, workflow, status }: ThreadConditions, given: Parameters): string {
  const { add } = given;
  const where = [`t.owner = ${add(owner)}`, 't.temporary = 0'];
  if (ids)
    where.push(`t.thread_id IN (SELECT jsonb_array_elements_text(${add(document(ids))}::text::jsonb))`);
  if (workflow !== undefined) where.push(`t.workflow = ${add(workflow)}`);
  if (status) where.push(CONDITIONS[status]);
  where.push(...hasFields('t.metadata', metadata, given));
  return `FROM skein.threads AS t WHERE ${where.join(' AND ')}`;
}
