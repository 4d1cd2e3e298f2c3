/** Crons on PostgreSQL. */

import { type CronRow, contentColumns, toCron } from '../../driver/cron-rows.ts';
import type { CronContent, CronStore } from '../../resources/crons.ts';
import { announcements } from '../announcements.ts';
import { type Database, document, type Value } from '../database/database.ts';
import { cronSearch } from './cron-search.ts';
import { ADVANCE, CHANGE, FIND, INSERT, NEXT, TAKE, TAKE_LEFT } from './cron-statements.ts';

export interface PostgresCrons extends CronStore {
  /** Must be called when crons of a crashed server are due again. */
  freed(): void;
}

/** `server` returns this server's id. Crons that it has taken are due again when its lease expires. */
export function crons(database: Database, server: () => string): PostgresCrons {
  const { announce, watch } = announcements(database, 'cron');

  async function changed<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    announce();
    return result;
  }

  return {
    async create({ cronId, owner, ownerName, assistantId, thread, createdAt, ...content }) {
      const target = [thread ? Number(thread.key) : null, thread?.threadId ?? null];
      const own = [cronId, owner, ownerName, assistantId, ...target, createdAt];
      const row = await changed(database.get<CronRow>(INSERT, ...own, ...contentValues(content)));
      if (!row) throw new Error('A cron that was just inserted does not exist');
      return toCron(row);
    },
    async find(owner, cronId) {
      const row = await database.get<CronRow>(FIND, owner, cronId);
      return row && toCron(row);
    },
    change: async (owner, cronId, content, at) =>
      (await changed(database.run(CHANGE, owner, cronId, at, ...contentValues(content)))) > 0,
    remove: async (owner, cronId) =>
      (await changed(
        database.run('DELETE FROM skein.crons WHERE owner = $1 AND cron_id = $2', owner, cronId),
      )) > 0,
    async search(search) {
      const { rows, total } = await cronSearch(database, search);
      return { items: rows.map(toCron), total };
    },
    async take(now, { holdMs, limit }) {
      const rows = await database.all<CronRow & { next_at: number; seq: number }>(
        TAKE,
        now,
        now + holdMs,
        limit,
        server(),
      );
      return rows.sort((a, b) => a.next_at - b.next_at || a.seq - b.seq).map(toCron);
    },
    async advance({ owner, cronId }, { at, nextAt, run }) {
      const temporary = run?.isTemporary ? [run.runId, owner, run.threadId] : [null, null, null];
      return (await database.run(ADVANCE, cronId, at, nextAt, ...temporary)) > 0;
    },
    async nextAt() {
      return (await database.get<{ at: number | null }>(NEXT))?.at ?? null;
    },
    async claimExpiredThreads(now, { holdMs, limit }) {
      const rows = await database.all<{ run_id: string; owner: string; thread_id: string }>(
        TAKE_LEFT,
        now,
        now + holdMs,
        limit,
        server(),
      );
      return rows.map(({ run_id, owner, thread_id }) => ({ owner, threadId: thread_id, runId: run_id }));
    },
    async removeExpiredThread(runId) {
      await database.run('DELETE FROM skein.cron_threads WHERE run_id = $1', runId);
    },
    watch,
    freed: announce,
  };
}

/** The values in the order of the statements' columns. */
function contentValues(content: CronContent): Value[] {
  const { schedule, timezone, enabled, end_time, on_run_completed, payload, next_at } =
    contentColumns(content);
  const metadata = document(content.metadata);
  return [schedule, timezone, enabled, end_time, on_run_completed, payload, metadata, next_at];
}
