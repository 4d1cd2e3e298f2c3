/** Deletion on SQLite: a thread is hidden immediately, then deleted from the tables in slices. */
import type { Database } from 'bun:sqlite';
import { keyOf } from '../../driver/rows.ts';
import type { Removal } from '../../threads/archive.ts';
import type { SqliteSaver } from '../checkpoints/saver.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import type { RawFile } from '../file/raw-file.ts';
import { scrubbing } from '../file/scrub.ts';
import { oldHistory } from './old-history.ts';
import { removalStatements } from './removal-statements.ts';

// After a slice that takes longer, the next one is smaller: rows differ in size, and each is overwritten with zeros.
const SLICE_MS = 8;
const MAX_ROWS = 400;
const FIRST_ROWS = 25;
// An event may contain a whole answer.
const EVENT_ROWS = 100;
// Large, because finding old checkpoints takes the same time for one as for many.
const CHECKPOINTS = 500;
// An item may take megabytes.
const ITEM_ROWS = 25;

/** Deletes at most `limit` rows and returns how many were deleted. */
type Slice = (limit: number) => number;

export interface RemovalParts {
  db: Database;
  commit: GroupCommit;
  saver: Pick<SqliteSaver, 'pruneHistory' | 'pruneValues'>;
  file: RawFile;
}

export function removal({ db, commit, saver, file }: RemovalParts): Removal {
  const sql = removalStatements(db);
  const history = oldHistory(db);
  const { scrub, isPending } = scrubbing(db, commit, file);
  // Read at the start, so that only what an earlier process has left is deleted, not the drafts of this process.
  const hidden = sql.hidden.all().map(({ key }) => keyOf(key));

  async function clear(key: string): Promise<void> {
    for (const slice of sql.slices(key)) await inSlices(key, slice);
    await commit.write(key, () => void sql.thread.run(key));
  }

  async function inSlices(key: string, slice: Slice): Promise<void> {
    let rows = FIRST_ROWS;
    for (let more = true; more; ) {
      more = await commit.commit(key, () => {
        const began = performance.now();
        const deleted = slice(rows);
        const slow = performance.now() - began > SLICE_MS;
        rows = slow ? Math.max(1, rows >> 1) : Math.min(MAX_ROWS, rows * 2);
        return deleted > 0;
      });
      // Let waiting requests run.
      await Bun.sleep(0);
    }
  }

  /**
   * Deletes the values after all checkpoints: finding those that no checkpoint uses takes long while a thread has many
   * checkpoints.
   */
  function pruneOnce(key: string): 'more' | 'done' | 'busy' {
    const ids = history(key, CHECKPOINTS);
    if (!ids) return 'busy';
    if (ids.length > 0) saver.pruneHistory(key, ids);
    else if (!saver.pruneValues(key, MAX_ROWS)) {
      sql.pruned.run(key);
      return 'done';
    }
    return 'more';
  }

  function oldChanges(time: number): Promise<number> {
    return commit.commit('retention', () => sql.oldChanges.run(time, EVENT_ROWS).changes);
  }

  return {
    async thread(key) {
      const hidden = await commit.write(key, () => {
        if (sql.unfinished.get(key)) return false;
        sql.keysOf.run(key);
        sql.hide.run(key);
        return true;
      });
      if (hidden) await clear(key);
      return hidden;
    },
    async expire(key, time) {
      const hidden = await commit.write(key, () => {
        const { changes } = sql.expire.run(key, time);
        if (changes > 0) sql.keysOf.run(key);
        return changes > 0;
      });
      if (hidden) await clear(key);
      return hidden;
    },
    async history(key) {
      for (;;) {
        const step = await commit.write(key, () => pruneOnce(key));
        if (step !== 'more') return step === 'done';
        await Bun.sleep(0);
      }
    },
    run: (runId) =>
      commit.write(runId, () => {
        sql.keepNumbersOf.run(runId);
        sql.run.run(runId);
      }),
    scrub,
    async leftovers() {
      if (hidden.length === 0 && !isPending()) return;
      for (let key = hidden.pop(); key !== undefined; key = hidden.pop()) await clear(key);
      await scrub();
    },
    async idleSince(time, limit) {
      commit.flush();
      const owners = sql.owners.all().map(({ owner }) => owner);
      const idle = owners.flatMap((owner) => sql.idle.all(owner, time, limit));
      return idle.slice(0, limit).map(({ owner, thread_id }) => ({ owner, threadId: thread_id }));
    },
    async temporary(time, limit) {
      commit.flush();
      const rows = sql.temporary.all(time, limit);
      return rows.map(({ owner, thread_id }) => ({ owner, threadId: thread_id }));
    },
    async countIdle(time) {
      commit.flush();
      return sql.countIdle.get(time) ?? { idle: 0, threads: 0 };
    },
    async expired(time, limit) {
      commit.flush();
      return sql.expired.all(time, limit).map((row) => ({
        ...{ owner: row.owner, threadId: row.thread_id, key: keyOf(row.key) },
        ...{ strategy: row.ttl_strategy, updatedAt: row.updated_at },
      }));
    },
    async events(time, from) {
      commit.flush();
      const rows = sql.nextEvents.all(from, EVENT_ROWS);
      const old = rows.filter(({ created_at }) => created_at < time);
      const over = old.filter(({ finished_at }) => finished_at !== null && finished_at < time);
      const named = JSON.stringify(over.map(({ row }) => row));
      if (over.length > 0)
        await commit.commit('retention', () => {
          sql.keepNumbers.run(named);
          sql.deleteEvents.run(named);
        });
      const changes = sql.anyOldChange.get(time) ? await oldChanges(time) : 0;
      // Continue only if all events of the slice were old enough.
      if (old.length === EVENT_ROWS) return old.at(-1)?.row ?? null;
      return changes === EVENT_ROWS ? from : null;
    },
    idempotencyKeys: (time) =>
      commit.commit('retention', () => sql.oldKeys.run(time, MAX_ROWS).changes === MAX_ROWS),
    items: (time) =>
      commit.commit('retention', () => sql.expiredItems.run(time, ITEM_ROWS).changes === ITEM_ROWS),
  };
}
