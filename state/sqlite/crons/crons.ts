/** Crons on SQLite. */
import type { Database } from 'bun:sqlite';
import { contentColumns, toCron } from '../../driver/cron-rows.ts';
import type { CronStore } from '../../resources/crons.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { cronSearch, cronStatements } from './cron-statements.ts';

export function crons(db: Database, commit: GroupCommit): CronStore {
  const sql = cronStatements(db);
  const listeners = new Set<() => void>();

  async function write<T>(cronId: string, work: () => T): Promise<T> {
    const result = await commit.write(`cron ${cronId}`, work);
    for (const listen of listeners) listen();
    return result;
  }

  function read<T>(query: () => T): Promise<T> {
    commit.flush();
    return Promise.resolve(query());
  }

  return {
    create: ({ cronId, owner, ownerName, assistantId, thread, createdAt, ...content }) =>
      write(cronId, () => {
        const own = { id: cronId, owner, name: ownerName, assistant: assistantId, at: createdAt };
        const target = { thread: thread?.key ?? null, thread_id: thread?.threadId ?? null };
        const row = sql.insert.get({ ...own, ...target, ...contentColumns(content) });
        if (!row) throw new Error('A cron that was just inserted does not exist');
        return toCron(row);
      }),
    find: (owner, cronId) =>
      read(() => {
        const row = sql.find.get(owner, cronId);
        return row ? toCron(row) : undefined;
      }),
    change: (owner, cronId, content, at) =>
      write(cronId, () => sql.change.run({ owner, id: cronId, at, ...contentColumns(content) }).changes > 0),
    remove: (owner, cronId) => write(cronId, () => sql.remove.run(owner, cronId).changes > 0),
    search: (search) =>
      read(() => {
        const { rows, total } = cronSearch(db, search);
        return { items: rows.map(toCron), total };
      }),
    // Only one process uses the file, so nothing needs to be held.
    take: (now, { limit }) => read(() => sql.due.all(now, limit).map(toCron)),
    advance: ({ owner, cronId }, { at, nextAt, run }) =>
      commit.write(`cron ${cronId}`, () => {
        if (run?.isTemporary) sql.insertThread.run(run.runId, owner, run.threadId);
        return sql.advance.run(nextAt, cronId, at).changes > 0;
      }),
    nextAt: () => read(() => sql.next.get()?.at ?? null),
    claimExpiredThreads: (_now, { limit }) =>
      read(() =>
        sql.expiredThreads
          .all(limit)
          .map(({ run_id, owner, thread_id }) => ({ owner, threadId: thread_id, runId: run_id })),
      ),
    removeExpiredThread: (runId) => commit.commit(`cron of ${runId}`, () => void sql.removeThread.run(runId)),
    watch(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
  };
}
