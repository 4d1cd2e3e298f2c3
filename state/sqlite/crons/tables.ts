/** The tables of crons, and of threads to delete when a cron's run has ended. */

export const CRON_TABLES = `
  CREATE TABLE crons (
    seq INTEGER PRIMARY KEY, cron_id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, owner_name TEXT NOT NULL,
    assistant_id TEXT NOT NULL, thread INTEGER REFERENCES threads (key) ON DELETE CASCADE, thread_id TEXT,
    schedule TEXT NOT NULL, timezone TEXT, enabled INTEGER NOT NULL, end_time INTEGER,
    on_run_completed TEXT NOT NULL, payload TEXT NOT NULL, metadata TEXT NOT NULL, next_at INTEGER,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  );
  CREATE INDEX crons_by_owner ON crons (owner);
  CREATE INDEX crons_by_thread ON crons (thread) WHERE thread IS NOT NULL;
  CREATE INDEX crons_due ON crons (next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE cron_threads (
    run_id TEXT PRIMARY KEY, owner TEXT NOT NULL, thread_id TEXT NOT NULL
  ) WITHOUT ROWID;
  `;
