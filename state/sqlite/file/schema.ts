/** The schema as a list of migrations. A file's `user_version` is the number of applied migrations. */
import type { Database } from 'bun:sqlite';
import { ASSISTANT_TABLES } from '../assistants/tables.ts';
import { BUDGET_TABLES } from '../budgets/tables.ts';
import { CRON_TABLES } from '../crons/tables.ts';
import { STATE_CHANGE_TABLES } from '../runs/state-changes.ts';
import { SEARCH_TABLES } from '../search/tables.ts';
import { RETENTION_TABLES } from '../threads/retention-hour.ts';
import { USAGE_TABLES } from '../usage/tables.ts';
import { WEBHOOK_TABLES } from '../webhooks/tables.ts';

// Tables with long rows keep their rowid: WITHOUT ROWID stores whole rows in the inner nodes of the B-tree, which becomes deep
// with four or five rows per page.
export const MIGRATIONS = [
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
  // Listings, forks and deletion. Every index entry ends with the rowid, which is the order of acceptance.
  `
  ALTER TABLE threads ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE threads ADD COLUMN parent_key INTEGER REFERENCES threads (key) ON DELETE SET NULL;
  ALTER TABLE threads ADD COLUMN parent_checkpoint TEXT;
  UPDATE threads SET failed = 1 WHERE 'failed' = (
    SELECT status FROM runs WHERE thread = threads.key AND finished_at IS NOT NULL
    ORDER BY finished_at DESC, runs.rowid DESC LIMIT 1);
  CREATE INDEX threads_by_activity ON threads (owner, updated_at);
  CREATE INDEX threads_by_workflow ON threads (owner, workflow, updated_at);
  CREATE INDEX threads_interrupted ON threads (owner, updated_at) WHERE interrupt IS NOT NULL;
  CREATE INDEX threads_failed ON threads (owner, updated_at) WHERE failed = 1;
  CREATE INDEX threads_by_parent ON threads (parent_key, parent_checkpoint) WHERE parent_key IS NOT NULL;

  ALTER TABLE runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
  UPDATE runs SET owner = (SELECT owner FROM threads WHERE key = runs.thread);
  DROP INDEX runs_by_thread;
  DROP INDEX runs_unfinished;
  CREATE INDEX runs_by_thread ON runs (thread);
  CREATE INDEX runs_unfinished ON runs (thread) WHERE finished_at IS NULL;
  CREATE INDEX runs_by_owner ON runs (owner);
  CREATE INDEX runs_by_owner_workflow ON runs (owner, workflow);
  CREATE INDEX runs_not_succeeded ON runs (owner, status) WHERE finished_at IS NOT NULL AND status <> 'succeeded';
  CREATE INDEX idempotency_by_run ON idempotency (run_id);
  `,
  // Spent refresh tokens, and families that were revoked because a spent token was used again.
  `
  CREATE TABLE spent_tokens (
    id TEXT PRIMARY KEY, since INTEGER NOT NULL, keep_until INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX spent_tokens_by_end ON spent_tokens (keep_until);
  `,
  // The uploaders of documents in the knowledge base.
  `
  CREATE TABLE document_authors (document TEXT PRIMARY KEY, author TEXT NOT NULL) WITHOUT ROWID;
  `,
  // The number of processes that crashed in a row during the run, and its newest checkpoint at that time.
  `
  ALTER TABLE runs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN deaths_newest TEXT;
  `,
  // Leases of runs, and requests to stop them.
  `
  ALTER TABLE runs ADD COLUMN lease INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN stop TEXT;
  UPDATE runs SET lease = attempt WHERE started_at IS NOT NULL;
  CREATE INDEX runs_queued ON runs (thread) WHERE finished_at IS NULL AND status = 'queued';
  ALTER TABLE threads ADD COLUMN closing INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX threads_closing ON threads (key) WHERE closing = 1;
  `,
  // Logs in LangGraph's terms instead of chat events, with additional numbers for chat and for the thread. The body is the
  // last column, so that SQLite does not read it when it skips a row.
  `
  ALTER TABLE threads ADD COLUMN last_seq INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE log (
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    first INTEGER NOT NULL, last INTEGER NOT NULL, chat_first INTEGER NOT NULL, chat_last INTEGER NOT NULL,
    thread INTEGER NOT NULL, seq INTEGER NOT NULL, created_at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run_id, first)
  );
  INSERT INTO log
  SELECT e.run_id, e.first, e.last, e.first, e.last, r.thread,
    sum(e.last - e.first + 1) OVER (PARTITION BY r.thread ORDER BY e.rowid), e.created_at,
    CASE WHEN json_valid(e.body) THEN (
      SELECT json_group_array(json_object(
        'at', e.created_at,
        'kind', CASE
          WHEN data ->> 'state' = 'started' THEN 'task'
          WHEN data ->> 'state' IS NOT NULL THEN 'task_end'
          WHEN event = 'token' THEN 'message'
          ELSE event END,
        'body', json(CASE
          WHEN event = 'token' THEN json_object('agent', data -> 'agent', 'delta', json(data -> 'text'))
          WHEN data -> 'step' IS NOT NULL THEN json_set(data, '$.part', data ->> 'step')
          ELSE data END)) ORDER BY place)
      FROM (SELECT key AS place, value ->> 'event' AS event, value -> 'data' AS data FROM json_each(e.body)))
    ELSE e.body END
  FROM events AS e JOIN runs AS r ON r.run_id = e.run_id ORDER BY e.rowid;
  DROP TABLE events;
  ALTER TABLE log RENAME TO events;
  CREATE UNIQUE INDEX events_by_thread ON events (thread, seq);
  `,
  // Elements of long lists, stored once for all versions. `elements` of a version is a JSON list of ranges of `seq`.
  `
  CREATE TABLE checkpoint_elements (
    thread TEXT NOT NULL, channel TEXT NOT NULL, seq INTEGER NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (thread, channel, seq)
  );
  ALTER TABLE checkpoint_values ADD COLUMN elements TEXT;
  `,
  // Delta channels: the channels of a checkpoint (JSON), and the data of each step from which they are rebuilt. `path`: the
  // position of a task in its step, because writes are applied in that order.
  `
  ALTER TABLE checkpoint_writes ADD COLUMN path TEXT NOT NULL DEFAULT '';
  ALTER TABLE checkpoints ADD COLUMN deltas TEXT;
  CREATE INDEX checkpoints_with_deltas ON checkpoints (thread) WHERE deltas IS NOT NULL;
  CREATE TABLE checkpoint_deltas (
    thread TEXT NOT NULL, ns TEXT NOT NULL, id TEXT NOT NULL, parent TEXT,
    versions TEXT NOT NULL, writes TEXT NOT NULL,
    PRIMARY KEY (thread, ns, id)
  );
  `,
  // Items of graphs. With AUTOINCREMENT, no number is assigned twice: a search reads rows by the numbers that it found.
  `
  CREATE TABLE items (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL, namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, ttl INTEGER, expires_at INTEGER,
    UNIQUE (owner, namespace, key)
  );
  CREATE INDEX items_by_namespace ON items (owner, namespace, expires_at);
  CREATE INDEX items_expiring ON items (expires_at) WHERE expires_at IS NOT NULL;
  `,
  // The vectors of items, in a separate table: a search scans the vectors of all items, but reads few values.
  `
  CREATE TABLE item_vectors (
    item INTEGER PRIMARY KEY REFERENCES items (seq) ON DELETE CASCADE,
    embedder TEXT NOT NULL, dims INTEGER NOT NULL, data BLOB NOT NULL
  );
  `,
  // Threads that keep all checkpoints, threads that are deleted with their run, and runs with a start time.
  `
  ALTER TABLE threads ADD COLUMN keeps_all INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE threads ADD COLUMN temporary INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX threads_temporary ON threads (updated_at) WHERE temporary = 1;
  ALTER TABLE runs ADD COLUMN not_before INTEGER;
  `,
  ASSISTANT_TABLES,
  WEBHOOK_TABLES,
  CRON_TABLES,
  // Time to live of threads, in milliseconds since the last activity or since it was set. `pruned_at`: the `updated_at` at
  // which old checkpoints were last deleted.
  `
  ALTER TABLE threads ADD COLUMN ttl INTEGER;
  ALTER TABLE threads ADD COLUMN ttl_strategy TEXT;
  ALTER TABLE threads ADD COLUMN ttl_since INTEGER;
  ALTER TABLE threads ADD COLUMN pruned_at INTEGER;
  CREATE INDEX threads_expiring ON threads (max(updated_at, ttl_since) + ttl)
    WHERE ttl IS NOT NULL AND (ttl_strategy = 'delete' OR pruned_at IS NOT updated_at);
  `,
  STATE_CHANGE_TABLES,
  RETENTION_TABLES,
  // Threads of all owners by activity.
  `
  CREATE INDEX threads_by_age ON threads (updated_at);
  `,
  // A run's usage by model, JSON.
  'ALTER TABLE runs ADD COLUMN models TEXT',
  USAGE_TABLES,
  BUDGET_TABLES,
  SEARCH_TABLES,
  // LangGraph's clients list the newest threads first.
  'CREATE INDEX threads_by_creation ON threads (owner, created_at) WHERE temporary = 0',
  // Runs without a start time are in the order of the queue.
  `
  DROP INDEX runs_queued;
  CREATE INDEX runs_queued ON runs (not_before) WHERE finished_at IS NULL AND status = 'queued';
  `,
];

/** "Skei" in ASCII, in the header of every state file. */
export const APPLICATION_ID = 0x53_6b_65_69;

export interface Migrated {
  from: number;
  to: number;
}

/**
 * Migrates the file to this version's schema and sets the application id; undefined if it was up to date. Throws for the file
 * of a newer version, which is not changed.
 */
export function migrate(db: Database): Migrated | undefined {
  const { user_version: from } = db.query('PRAGMA user_version').get() as { user_version: number };
  const to = MIGRATIONS.length;
  if (from > to) throw new Error(newerSchema(from));
  for (let version = from; version < to; version++) {
    db.transaction(() => {
      db.run(MIGRATIONS[version] ?? '');
      db.run(`PRAGMA user_version = ${version + 1}`);
    })();
  }
  const { application_id: id } = db.query('PRAGMA application_id').get() as { application_id: number };
  if (id !== APPLICATION_ID) db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  return from === to ? undefined : { from, to };
}

export function newerSchema(version: number): string {
  return `the file has schema version ${version}, but this version of Skein only supports ${MIGRATIONS.length}. Upgrade Skein`;
}
