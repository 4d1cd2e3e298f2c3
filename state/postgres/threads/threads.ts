/** Threads for readers on PostgreSQL. */

import {
  type StoredThreadRow,
  type ThreadPosition,
  threadPage,
  toStoredThread,
} from '../../driver/stored-thread.ts';
import { ttlColumns } from '../../driver/thread-ttl.ts';
import type { ThreadArchive, ThreadFilter } from '../../threads/archive.ts';
import { type Database, document, type Value } from '../database/database.ts';
import { parameters } from '../database/parameters.ts';
import { threadCopies } from './copies.ts';
import { CONDITIONS, STORED_THREAD } from './thread-rows.ts';
import { countThreads, searchThreads } from './thread-search.ts';

const FIND = `SELECT ${STORED_THREAD} FROM skein.threads AS t WHERE t.owner = $1 AND t.thread_id = $2`;

const CREATE = `INSERT INTO skein.threads
  (owner, thread_id, title, workflow, metadata, created_at, updated_at, ttl, ttl_strategy, ttl_since)
  VALUES ($1, $2, '', '', $3, $4, $4, $5, $6, $4) ON CONFLICT (owner, thread_id) DO NOTHING`;

// Null leaves a column unchanged.
const UPDATE = `UPDATE skein.threads SET title = coalesce($3, title), metadata = coalesce($4, metadata),
  ttl = coalesce($5::bigint, ttl), ttl_strategy = coalesce($6, ttl_strategy),
  ttl_since = CASE WHEN $5::bigint IS NULL THEN ttl_since ELSE $7 END,
  pruned_at = CASE WHEN $5::bigint IS NULL THEN pruned_at END
  WHERE owner = $1 AND thread_id = $2`;

export function threadArchive(database: Database): ThreadArchive {
  return {
    async find(owner, threadId) {
      const row = await database.get<StoredThreadRow>(FIND, owner, threadId);
      return row && toStoredThread(row);
    },
    list: (filter, page) =>
      threadPage(
        (limit, after) => {
          const { text, values } = listing(filter, limit, after);
          return database.all<StoredThreadRow>(text, ...values);
        },
        filter.text,
        page,
      ),
    copy: threadCopies(database),
    create: async (owner, { threadId, metadata, createdAt, ttl }) =>
      (await database.run(CREATE, owner, threadId, document(metadata), createdAt, ...ttlColumns(ttl))) > 0,
    search: (search) => searchThreads(database, search),
    count: (conditions, most) => countThreads(database, conditions, most),
    async update(owner, threadId, { title, metadata, ttl }) {
      const text = metadata === undefined ? null : document(metadata);
      const change = [title ?? null, text, ...ttlColumns(ttl), Date.now()] as const;
      return (await database.run(UPDATE, owner, threadId, ...change)) > 0;
    },
  };
}

// Busy threads are few, so they are found by their unfinished runs instead of a scan of all the owner's threads. OFFSET 0
// keeps the planner from merging the subquery.
const busyThreads = (
  of: string,
) => `(SELECT DISTINCT thread FROM skein.runs WHERE finished_at IS NULL ${of}) AS unfinished
  CROSS JOIN LATERAL (SELECT * FROM skein.threads WHERE key = unfinished.thread OFFSET 0) AS t`;

/** Rare statuses have partial indexes, and nearly all threads are idle, so each listing scans few other threads. */
export function listing(
  { owner, workflow, status }: ThreadFilter,
  limit: number,
  after: ThreadPosition | undefined,
): { text: string; values: Value[] } {
  const { values, add } = parameters();
  // A thread without an owner is being created or deleted.
  const where = [owner === null ? "t.owner <> ''" : `t.owner = ${add(owner)}`, 't.temporary = 0'];
  if (workflow !== undefined) where.push(`t.workflow = ${add(workflow)}`);
  if (status !== undefined && status !== 'busy') where.push(CONDITIONS[status]);
  if (after) where.push(`(t.updated_at, t.key) < (${add(after[0])}, ${add(after[1])})`);
  const text = `SELECT ${STORED_THREAD} FROM ${status === 'busy' ? busyThreads(owner === null ? '' : 'AND owner = $1') : 'skein.threads AS t'}
    WHERE ${where.join(' AND ')} ORDER BY t.updated_at DESC, t.key DESC LIMIT ${add(limit)}`;
  return { text, values };
}
