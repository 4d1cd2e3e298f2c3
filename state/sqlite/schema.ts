/** The tables, as migrations in order: a file's `user_version` says how many it has seen. */
import type { Database } from 'bun:sqlite';

// Tables with long rows have a rowid: without one, SQLite keeps whole rows in the inner nodes of the tree, and four or
// five to a page make it deep.
const MIGRATIONS = [
  `
  CREATE TABLE threads (
    key INTEGER PRIMARY KEY,
    owner TEXT NOT NULL, thread_id TEXT NOT NULL,
    title TEXT, metadata TEXT, workflow TEXT NOT NULL,
    head TEXT, interrupt TEXT, memory TEXT,
    message_count INTEGER NOT NULL DEFAULT 0,
    parent TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    UNIQUE (owner, thread_id)
  );
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads (key) ON DELETE CASCADE,
    message_id TEXT NOT NULL, workflow TEXT NOT NULL, status TEXT NOT NULL,
    request TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER,
    input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
    agents TEXT, result TEXT, error TEXT
  );
  CREATE INDEX runs_by_thread ON runs (thread, created_at);
  CREATE INDEX runs_by_workflow ON runs (workflow, created_at);
  CREATE INDEX runs_unfinished ON runs (created_at) WHERE finished_at IS NULL;
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL UNIQUE, thread INTEGER NOT NULL REFERENCES threads (key) ON DELETE CASCADE,
    run_id TEXT NOT NULL, workflow TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,
    status TEXT NOT NULL, user_id TEXT, outputs TEXT, token_count INTEGER, created_at INTEGER NOT NULL
  );
  CREATE INDEX messages_by_thread ON messages (thread, seq);
  CREATE TABLE events (
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    first INTEGER NOT NULL, last INTEGER NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, first)
  );
  CREATE TABLE feedback (
    message_id TEXT PRIMARY KEY REFERENCES messages (message_id) ON DELETE CASCADE,
    body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE idempotency (
    owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE, created_at INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
  ) WITHOUT ROWID;
  CREATE INDEX idempotency_by_time ON idempotency (created_at);
  CREATE TABLE checkpoints (
    thread TEXT NOT NULL, ns TEXT NOT NULL, id TEXT NOT NULL, parent TEXT, run_id TEXT,
    versions TEXT NOT NULL, body TEXT NOT NULL, metadata TEXT NOT NULL,
    PRIMARY KEY (thread, ns, id)
  );
  CREATE TABLE checkpoint_values (
    thread TEXT NOT NULL, ns TEXT NOT NULL, channel TEXT NOT NULL, version NUMERIC NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (thread, ns, channel, version)
  );
  CREATE TABLE checkpoint_writes (
    thread TEXT NOT NULL, ns TEXT NOT NULL, id TEXT NOT NULL, task TEXT NOT NULL, writes TEXT NOT NULL,
    PRIMARY KEY (thread, ns, id, task)
  ) WITHOUT ROWID;
  `,
];

/** Brings the file to this version's tables. A file from a newer version is refused, never touched. */
export function migrate(db: Database): void {
  const row = db.query('PRAGMA user_version').get() as { user_version: number };
  if (row.user_version > MIGRATIONS.length) {
    throw new Error(
      `the file has schema version ${row.user_version} and this version knows ${MIGRATIONS.length}: use a newer skein`,
    );
  }
  for (let version = row.user_version; version < MIGRATIONS.length; version++) {
    db.transaction(() => {
      db.run(MIGRATIONS[version] ?? '');
      db.run(`PRAGMA user_version = ${version + 1}`);
    })();
  }
}
