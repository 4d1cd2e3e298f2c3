/** Minute counters on PostgreSQL, shared by all servers. While the database is unreachable, each server counts on its own. */
import { createHash } from 'node:crypto';
import { type Full, localCounters, type MinuteCounters, type Wanted } from '../../callers/minute-counters.ts';
import { isUnavailable } from '../../errors.ts';
import type { Database } from '../database/database.ts';

/** A short timeout, because counting is the first step of every request. */
const TIMEOUT_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;

// Locked rows are in use.
const SWEEP = `DELETE FROM skein.counters WHERE key IN (
  SELECT key FROM skein.counters WHERE until < clock_timestamp() LIMIT 10000 FOR UPDATE SKIP LOCKED)`;

export function minuteCounters(database: Database): MinuteCounters {
  const own = localCounters();
  let awayUntil = 0;
  let sweptAt = Date.now();

  async function shared<T>(count: () => Promise<T>, fallback: () => Promise<T>): Promise<T> {
    if (Date.now() < awayUntil) return fallback();
    sweep();
    const answer = await within(count());
    if (answer !== AWAY) return answer;
    awayUntil = Date.now() + TIMEOUT_MS;
    return fallback();
  }

  function sweep(): void {
    if (Date.now() < sweptAt + SWEEP_EVERY_MS) return;
    sweptAt = Date.now();
    database.run(SWEEP).catch(() => {});
  }

  async function full(name: 'count_v1' | 'full_v1', wanted: readonly Wanted[]): Promise<Full | undefined> {
    const keys = wanted.map(({ key, most }) => ({ key: digest(key), most }));
    const row = await database.get<{ answer: { place: number; left: number } | null }>(
      `SELECT skein.${name}($1::text::jsonb) AS answer`,
      JSON.stringify(keys),
    );
    const found = row?.answer && wanted[row.answer.place];
    return found ? { ...found, remainingMs: row.answer?.left ?? 0 } : undefined;
  }

  return {
    take: (wanted) =>
      shared(
        () => full('count_v1', wanted),
        () => own.take(wanted),
      ),
    look: (wanted) =>
      shared(
        () => full('full_v1', wanted),
        () => own.look(wanted),
      ),
    async undo({ back = [], reset = [] }) {
      await own.undo({ back, reset });
      const keys = [
        ...back.map((key) => ({ key: digest(key) })),
        ...reset.map((key) => ({ key: digest(key), reset: true })),
      ];
      await shared(
        async () =>
          void (await database.get('SELECT skein.uncount_v1($1::text::jsonb)', JSON.stringify(keys))),
        async () => {},
      );
    },
  };
}

const AWAY = Symbol('the database is unreachable');

async function within<T>(answer: Promise<T>): Promise<T | typeof AWAY> {
  const { promise: late, resolve } = Promise.withResolvers<typeof AWAY>();
  const timer = setTimeout(() => resolve(AWAY), TIMEOUT_MS);
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return AWAY;
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}

/** Keeps names and addresses out of the database, and gives all keys the same length. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
