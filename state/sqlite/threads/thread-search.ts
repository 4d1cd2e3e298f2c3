/** Searches and counts threads for LangGraph's clients by ids, metadata and status, in any order. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { StoredThreadRow } from '../../driver/stored-thread.ts';
import { threadsByStatus } from '../../driver/threads-by-status.ts';
import type { ThreadConditions, ThreadSearch } from '../../threads/archive.ts';
import { metadataConditions } from '../metadata-conditions.ts';
import { type Condition, textOf, valuesOf } from './run-conditions.ts';
import { ownedBy, type SliceOrder, threadSlices } from './thread-slices.ts';
import { BUSY, CONDITIONS } from './thread-status.ts';

/** Lets other work run after each slice: a search for rare metadata reads all threads of a caller. */
export async function searchThreads(db: Database, search: ThreadSearch): Promise<StoredThreadRow[]> {
  const { sortBy, descending, limit, offset } = search;
  const given = conditions(search, sortBy);
  if (sortBy === 'status')
    return threadsByStatus(
      { search: (part) => searchThreads(db, part), count: (part, most) => countThreads(db, part, most) },
      search,
    );
  if (hasIndex(search)) return rowsIn(db, given, sortBy, search);
  const found: StoredThreadRow[] = [];
  let toSkip = offset;
  for await (const slice of threadSlices(db, { owner: search.owner, sortBy, descending })) {
    const inSlice = [...given, ...slice];
    const count = toSkip > 0 ? countIn(db, inSlice) : Number.POSITIVE_INFINITY;
    if (count <= toSkip) {
      toSkip -= count;
      continue;
    }
    const rest = { descending, limit: limit - found.length, offset: toSkip };
    found.push(...rowsIn(db, inSlice, sortBy, rest));
    toSkip = 0;
    if (found.length === limit) break;
  }
  return found;
}

/** Stops counting at `most`. */
export async function countThreads(db: Database, search: ThreadConditions, most: number): Promise<number> {
  const given = conditions(search, 'created_at');
  if (hasIndex(search)) return Math.min(most, countIn(db, given));
  const order: SliceOrder = { owner: search.owner, sortBy: 'created_at', descending: true };
  let total = 0;
  for await (const slice of threadSlices(db, order)) {
    total += countIn(db, [...given, ...slice]);
    if (total >= most) return most;
  }
  return total;
}

/** Whether an index has few threads that match. Nearly all threads are idle. */
function hasIndex({ ids, status }: ThreadConditions): boolean {
  return ids !== undefined || (status !== undefined && status !== 'idle');
}

function rowsIn(
  db: Database,
  given: Condition[],
  sortBy: SliceOrder['sortBy'],
  { descending, limit, offset }: Pick<ThreadSearch, 'descending' | 'limit' | 'offset'>,
): StoredThreadRow[] {
  const direction = descending ? 'DESC' : 'ASC';
  return db
    .query<StoredThreadRow, SQLQueryBindings[]>(
      `SELECT t.*, ${BUSY} AS busy FROM threads AS t WHERE ${textOf(given)}
       ORDER BY t.${sortBy} ${direction}, t.key ${direction} LIMIT ? OFFSET ?`,
    )
    .all(...valuesOf(given), limit, offset);
}

function countIn(db: Database, given: Condition[]): number {
  const counted = db.query<{ total: number }, SQLQueryBindings[]>(
    `SELECT count(*) AS total FROM threads AS t WHERE ${textOf(given)}`,
  );
  return counted.get(...valuesOf(given))?.total ?? 0;
}

function conditions(search: ThreadConditions, sortBy: ThreadSearch['sortBy']): Condition[] {
  const { owner, ids, metadata, workflow, status } = search;
  const given = [hasIndex(search) ? ownedBy(owner, 'status') : ownedBy(owner, sortBy)];
  if (ids)
    given.push({
      sql: 't.thread_id IN (SELECT value FROM json_each(?))',
      values: [JSON.stringify(ids)],
    });
  if (workflow !== undefined) given.push({ sql: 't.workflow = ?', values: [workflow] });
  if (status) given.push({ sql: CONDITIONS[status], values: [] });
  const { where, values } = metadataConditions('t.metadata', metadata);
  return where.length === 0 ? given : [...given, { sql: where.join(' AND '), values }];
}
