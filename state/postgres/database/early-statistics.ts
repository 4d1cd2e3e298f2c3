/**
 * The planner's statistics of a new database. PostgreSQL collects them a minute or more after the first writes, and reuses
 * the plans that it has made without them: looking up a thread then reads all threads of its owner. So they are collected
 * here until the tables are large enough for good plans, after which autovacuum keeps them current.
 */
import type { Database } from './database.ts';

const CHECK_MS = 5_000;
/** The number of new threads that make the statistics of a small database outdated. */
const FIRST_THREADS = 256;
/** From this number of known threads on, the planner chooses the right indexes. */
const ENOUGH_THREADS = 1_000;

const TABLES = [
  ...['threads', 'runs', 'messages', 'events', 'usage', 'idempotency'],
  ...['checkpoints', 'checkpoint_values', 'checkpoint_elements', 'checkpoint_writes'],
];
const ANALYZE = `ANALYZE ${TABLES.map((table) => `skein.${table}`).join(', ')}`;

/** `known` is -1 without statistics. */
const THREADS = `SELECT reltuples::float8 AS known, n_mod_since_analyze AS changed
  FROM pg_class AS c JOIN pg_stat_all_tables AS s ON s.relid = c.oid WHERE c.oid = 'skein.threads'::regclass`;

/** Collects statistics until there are enough. Returns a function that stops it. */
export function collectEarlyStatistics(database: Database): () => void {
  const timer = setInterval(() => {
    // Without statistics everything works, only slower.
    check().catch(() => {});
  }, CHECK_MS);
  timer.unref();

  async function check(): Promise<void> {
    const threads = await database.get<{ known: number; changed: number }>(THREADS);
    if (!threads) return;
    if (threads.known >= ENOUGH_THREADS) clearInterval(timer);
    else if (threads.changed >= FIRST_THREADS) await database.run(ANALYZE);
  }

  return () => clearInterval(timer);
}
