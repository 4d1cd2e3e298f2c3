/** Searches threads for LangGraph's clients by ids, metadata and status, with a count and any order. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { StoredThreadRow } from '../../driver/stored-thread.ts';
import type { ThreadSearch } from '../../threads/archive.ts';
import { metadataConditions } from '../metadata-conditions.ts';
import { BUSY, CONDITIONS } from './thread-status.ts';

const ORDERS = {
  thread_id: 't.thread_id',
  created_at: 't.created_at',
  updated_at: 't.updated_at',
  // The alphabetical order of the status names: busy, error, idle, interrupted.
  status: `(SELECT CASE WHEN ${BUSY} THEN 'busy' WHEN t.interrupt IS NOT NULL THEN 'interrupted' WHEN t.failed THEN 'error' ELSE 'idle' END)`,
};

export function threadSearch(db: Database, search: ThreadSearch): { rows: StoredThreadRow[]; total: number } {
  const { where, values } = conditions(search);
  const { sortBy, descending, limit, offset } = search;
  const direction = descending ? 'DESC' : 'ASC';
  const from = `FROM threads AS t WHERE ${where.join(' AND ')}`;
  const rows = db
    .query<StoredThreadRow, SQLQueryBindings[]>(
      `SELECT t.*, ${BUSY} AS busy ${from} ORDER BY ${ORDERS[sortBy]} ${direction}, t.key ${direction} LIMIT ? OFFSET ?`,
    )
    .all(...values, limit, offset);
  const counted = db.query<{ total: number }, SQLQueryBindings[]>(`SELECT count(*) AS total ${from}`);
  return { rows, total: counted.get(...values)?.total ?? 0 };
}

function conditions({ owner, ids, metadata, workflow, status }: ThreadSearch) {
  const where = ['t.owner = ?', 't.temporary = 0'];
  const values: SQLQueryBindings[] = [owner];
  if (ids) {
    where.push('t.thread_id IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(ids));
  }
  if (workflow !== undefined) {
    where.push('t.workflow = ?');
    values.push(workflow);
  }
  if (status) where.push(CONDITIONS[status]);
  const fields = metadataConditions('t.metadata', metadata);
  return { where: [...where, ...fields.where], values: [...values, ...fields.values] };
}
