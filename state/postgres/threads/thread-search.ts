/** Searches threads for LangGraph's clients by ids, metadata and status, with a count and any order. */

import { type StoredThreadRow, toStoredThread } from '../../driver/stored-thread.ts';
import type { StoredThread, ThreadSearch } from '../../threads/archive.ts';
import { type Database, document } from '../database/database.ts';
import { hasFields, type Parameters, parameters } from '../database/parameters.ts';
import { BUSY, CONDITIONS, STORED_THREAD } from './thread-rows.ts';

const ORDERS = {
  thread_id: 't.thread_id',
  created_at: 't.created_at',
  updated_at: 't.updated_at',
  status: `(CASE WHEN ${BUSY} THEN 'busy' WHEN t.interrupt IS NOT NULL THEN 'interrupted'
    WHEN t.failed = 1 THEN 'error' ELSE 'idle' END) COLLATE "C"`,
};

export async function threadSearch(
  database: Database,
  search: ThreadSearch,
): Promise<{ items: StoredThread[]; total: number }> {
  const { sortBy, descending, limit, offset } = search;
  const [some, all] = [parameters(), parameters()];
  const direction = descending ? 'DESC' : 'ASC';
  const [rows, counted] = await Promise.all([
    database.all<StoredThreadRow>(
      `SELECT ${STORED_THREAD} ${matching(search, some)}
       ORDER BY ${ORDERS[sortBy]} ${direction}, t.key ${direction}
       LIMIT ${some.add(limit)} OFFSET ${some.add(offset)}`,
      ...some.values,
    ),
    database.get<{ total: number }>(`SELECT count(*) AS total ${matching(search, all)}`, ...all.values),
  ]);
  return { items: rows.map(toStoredThread), total: counted?.total ?? 0 };
}

function matching({ owner, ids, metadata, workflow, status }: ThreadSearch, given: Parameters): string {
  const { add } = given;
  const where = [`t.owner = ${add(owner)}`, 't.temporary = 0'];
  if (ids)
    where.push(`t.thread_id IN (SELECT jsonb_array_elements_text(${add(document(ids))}::text::jsonb))`);
  if (workflow !== undefined) where.push(`t.workflow = ${add(workflow)}`);
  if (status) where.push(CONDITIONS[status]);
  where.push(...hasFields('t.metadata', metadata, given));
  return `FROM skein.threads AS t WHERE ${where.join(' AND ')}`;
}
