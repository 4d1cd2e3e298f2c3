/** Threads for readers on SQLite. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { keyOf } from '../../driver/rows.ts';
import {
  type StoredThreadRow,
  type ThreadPosition,
  threadPage,
  toStoredThread,
} from '../../driver/stored-thread.ts';
import { ttlColumns } from '../../driver/thread-ttl.ts';
import type { ThreadArchive, ThreadFilter } from '../../threads/archive.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { threadCopies } from './copies.ts';
import { countThreads, searchThreads } from './thread-search.ts';
import { BUSY, CONDITIONS } from './thread-status.ts';

export function threadArchive(db: Database, commit: GroupCommit): ThreadArchive {
  const one = db.query<StoredThreadRow, [string, string]>(
    `SELECT t.*, ${BUSY} AS busy FROM threads AS t WHERE owner = ? AND thread_id = ?`,
  );
  const change = db.query(
    `UPDATE threads SET title = coalesce(?, title), metadata = coalesce(?, metadata)
     WHERE owner = ? AND thread_id = ?`,
  );
  const changeTtl = db.query(
    `UPDATE threads SET ttl = ?, ttl_strategy = ?, ttl_since = ?, pruned_at = NULL WHERE owner = ? AND thread_id = ?`,
  );

  const insert = db.query<
    { key: number },
    [string, string, string | null, number, number | null, string | null]
  >(
    `INSERT INTO threads (owner, thread_id, title, workflow, metadata, created_at, updated_at, ttl, ttl_strategy, ttl_since)
     VALUES (?1, ?2, '', '', ?3, ?4, ?4, ?5, ?6, ?4) ON CONFLICT (owner, thread_id) DO NOTHING RETURNING key`,
  );

  /** The next `limit` threads after a position. */
  function slice(filter: ThreadFilter, limit: number, after: ThreadPosition | undefined): StoredThreadRow[] {
    commit.flush();
    const values: SQLQueryBindings[] = filter.owner === null ? [] : [filter.owner];
    if (filter.workflow !== undefined) values.push(filter.workflow);
    if (after) values.push(...after);
    return db
      .query<StoredThreadRow, SQLQueryBindings[]>(listing(filter, after !== undefined))
      .all(...values, limit);
  }

  return {
    async find(owner, threadId) {
      const read = () => one.get(owner, threadId) ?? undefined;
      const found = read();
      // Flush only the writes of this thread: every run over LangGraph's protocol looks up its thread, and flushing all writes
      // would break up group commits.
      const units = [`${owner}/${threadId}`, ...(found ? [keyOf(found.key)] : [])];
      const row = commit.flushOf(units) ? read() : found;
      return row && toStoredThread(row);
    },
    list: (filter, page) => threadPage((limit, after) => slice(filter, limit, after), filter.text, page),
    copy: threadCopies(db, commit),
    create: (owner, { threadId, metadata, createdAt, ttl }) =>
      commit.write(`${owner}/${threadId}`, () => {
        const text = JSON.stringify(metadata);
        return insert.get(owner, threadId, text, createdAt, ...ttlColumns(ttl)) !== null;
      }),
    async search(search) {
      commit.flush();
      return (await searchThreads(db, search)).map(toStoredThread);
    },
    async count(conditions, most = Number.POSITIVE_INFINITY) {
      commit.flush();
      return countThreads(db, conditions, most);
    },
    update: (owner, threadId, { title, metadata, ttl }) =>
      commit.write(`${owner}/${threadId}`, () => {
        if (ttl) changeTtl.run(...ttlColumns(ttl), Date.now(), owner, threadId);
        const text = metadata === undefined ? null : JSON.stringify(metadata);
        return change.run(title ?? null, text, owner, threadId).changes > 0;
      }),
  };
}

/** Rare statuses have partial indexes, and nearly all threads are idle, so each listing scans few other threads. */
export function listing({ owner: of, workflow, status }: ThreadFilter, after: boolean): string {
  const byStatus = status === undefined || status === 'idle' ? undefined : LISTS[status];
  const ofOwner = workflow === undefined ? 'INDEXED BY threads_by_activity' : BY_WORKFLOW;
  const index = byStatus ?? (of === null ? 'INDEXED BY threads_by_age' : ofOwner);
  // The unary plus keeps SQLite from scanning an index of all the owner's threads. The few busy ones are found by their
  // unfinished runs.
  const owner = status === 'busy' ? '+t.owner' : 't.owner';
  // A thread without an owner is being created or deleted.
  const ownerCondition = of === null ? "t.owner <> ''" : `${owner} = ?`;
  return `SELECT t.*, ${BUSY} AS busy FROM threads AS t ${index}
    WHERE ${ownerCondition} AND t.temporary = 0 ${status === undefined ? '' : `AND ${CONDITIONS[status]}`}
    ${workflow === undefined ? '' : 'AND t.workflow = ?'}
    ${after ? 'AND (t.updated_at, t.key) < (?, ?)' : ''}
    ORDER BY t.updated_at DESC, t.key DESC LIMIT ?`;
}

const BY_WORKFLOW = 'INDEXED BY threads_by_workflow';

const LISTS = {
  busy: '',
  interrupted: 'INDEXED BY threads_interrupted',
  error: 'INDEXED BY threads_failed',
};
