/** Deletion on PostgreSQL: a thread is hidden immediately, then deleted from the tables in slices of one transaction each. */

import { keyOf } from '../../driver/rows.ts';
import type { Removal } from '../../threads/archive.ts';
import type { Database, Statements } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';
import type { Checkpoints } from './checkpoints.ts';
import { oldHistory } from './old-history.ts';
import {
  COUNT_IDLE,
  deleteSome,
  EXPIRED,
  type ExpiredRow,
  HIDE,
  IDLE,
  OLD_EVENTS,
  TABLES,
  TAKE_LEFTOVER,
  TEMPORARY,
} from './removal-statements.ts';
import { hasRuns, lockThread } from './thread-rows.ts';

const ROWS = 1_000;
// Large, because finding unused values takes the same time for one checkpoint as for many.
const CHECKPOINTS = 2_000;

const ENDED = 'run_id = (SELECT run_id FROM skein.runs WHERE run_id = $1 AND finished_at IS NOT NULL)';

export function removal(database: Database, checkpoints: Pick<Checkpoints, 'pruneHistory'>): Removal {
  /** Deletes at most ROWS rows of a hidden thread; returns whether more may exist. */
  async function clearSome(tx: Statements, key: number): Promise<boolean> {
    if (!(await tx.get('SELECT 1 FROM skein.threads WHERE key = $1 FOR UPDATE', key))) return false;
    let remaining = ROWS;
    for (const { table, isByKey } of TABLES) {
      remaining -= await tx.run(
        deleteSome(table, 'thread = $1', '$2'),
        isByKey ? key : keyOf(key),
        remaining,
      );
      if (remaining === 0) return true;
    }
    await tx.run('DELETE FROM skein.threads WHERE key = $1', key);
    return false;
  }

  async function clear(key: string): Promise<void> {
    while (await database.transaction((tx) => clearSome(tx, Number(key))));
  }

  /** False if another server is doing this work. */
  async function tryLock(tx: Statements, work: keyof typeof LOCKS): Promise<boolean> {
    const lock = await tx.get<{ taken: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${LOCKS[work]}) AS taken`,
    );
    return lock?.taken === true;
  }

  async function found(text: string, time: number, limit: number): Promise<ExpiredRow[]> {
    return database.all<ExpiredRow>(text, Math.ceil(time), limit);
  }

  const deleted = (table: string, condition: string, value: string | number) =>
    database.run(deleteSome(table, condition, ROWS), value);

  return {
    async thread(key) {
      const hidden = await database.transaction(async (tx) => {
        // This server may have been paused since it closed the thread, and other servers accept runs then.
        await lockThread(tx, key);
        if (await hasRuns(tx, key)) return false;
        await tx.run(HIDE, Number(key));
        return true;
      });
      if (hidden) await clear(key);
      return hidden;
    },
    async expire(key, time) {
      const hidden = await database.transaction(async (tx) => {
        const old = await tx.get(
          `SELECT 1 FROM skein.threads WHERE key = $1 AND owner <> '' AND updated_at < $2 FOR UPDATE`,
          Number(key),
          Math.ceil(time),
        );
        if (!old || (await hasRuns(tx, key))) return false;
        await tx.run(HIDE, Number(key));
        return true;
      });
      if (hidden) await clear(key);
      return hidden;
    },
    async history(key) {
      for (;;) {
        const deleted = await database.transaction(async (tx) => {
          const ids = await oldHistory(tx, key, CHECKPOINTS);
          if (!ids) return undefined;
          await checkpoints.pruneHistory(tx, key, ids);
          await tx.run('UPDATE skein.threads SET pruned_at = updated_at WHERE key = $1', Number(key));
          return ids.length;
        });
        if (deleted === undefined || deleted < CHECKPOINTS) return deleted !== undefined;
      }
    },
    async run(runId) {
      while ((await deleted('events', ENDED, runId)) === ROWS);
      await database.run('DELETE FROM skein.runs WHERE run_id = $1 AND finished_at IS NOT NULL', runId);
    },
    /** Not needed: autovacuum reclaims the space of deleted rows, and PostgreSQL recycles its WAL. */
    async scrub() {},
    async leftovers() {
      const clearOne = async (tx: Statements) => {
        const leftover = (await tryLock(tx, 'leftovers')) && (await tx.get<{ key: number }>(TAKE_LEFTOVER));
        if (!leftover) return false;
        await clearSome(tx, leftover.key);
        return true;
      };
      while (await database.transaction(clearOne));
    },
    async idleSince(time, limit) {
      const rows = await found(IDLE, time, limit);
      return rows.map(({ owner, thread_id }) => ({ owner, threadId: thread_id }));
    },
    async temporary(time, limit) {
      const rows = await found(TEMPORARY, time, limit);
      return rows.map(({ owner, thread_id }) => ({ owner, threadId: thread_id }));
    },
    async countIdle(time) {
      const row = await database.get<{ idle: number; threads: number }>(COUNT_IDLE, Math.ceil(time));
      return row ?? { idle: 0, threads: 0 };
    },
    async expired(time, limit) {
      const rows = await found(EXPIRED, time, limit);
      return rows.map((row) => ({
        ...{ owner: row.owner, threadId: row.thread_id, key: keyOf(row.key) },
        ...{ strategy: row.ttl_strategy, updatedAt: row.updated_at },
      }));
    },
    events: (time, from) =>
      database.transaction(async (tx) => {
        if (!(await tryLock(tx, 'oldEvents'))) return null;
        await tx.run('DELETE FROM skein.state_changes WHERE created_at < $1', Math.ceil(time));
        const old = await tx.get<{ last: number | null; count: number }>(
          OLD_EVENTS,
          from,
          Math.ceil(time),
          ROWS,
        );
        // Continue only if the slice was full.
        return old && old.count >= ROWS ? old.last : null;
      }),
    idempotencyKeys: async (time) =>
      (await deleted('idempotency', 'created_at < $1', Math.ceil(time))) === ROWS,
    items: async (time) => (await deleted('items', 'expires_at < $1', Math.ceil(time))) === ROWS,
  };
}
