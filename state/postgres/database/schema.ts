/**
 * The schema. As in the SQLite driver, JSON is stored as text and times as milliseconds, and the tables have the same names.
 * Columns that define an order use the collation "C", so that the order doesn't depend on the database's collation.
 */
import { BUDGETS } from '../budgets/functions.ts';
import { COUNTERS } from '../counters/functions.ts';
import { PROMPT_TABLES } from '../prompts/prompt-tables.ts';
import { RUN_FUNCTIONS } from '../runs/functions/functions.ts';
import { LEASE_CHECKS } from '../runs/functions/write.ts';
import { SEARCH_TABLES } from '../search/tables.ts';
import { RETENTION_TABLES } from '../threads/retention-hour.ts';
import { USAGE } from '../usage/functions.ts';

const ID = 'text COLLATE "C"';

const CONVERSATIONS = `
  CREATE TABLE skein.servers (
    id ${ID} PRIMARY KEY, alive_until timestamptz NOT NULL
  );
  CREATE TABLE skein.threads (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner text NOT NULL, thread_id ${ID} NOT NULL,
    title text, metadata text, workflow text NOT NULL,
    head text, memory text,
    -- The pending interrupt: its run, the head before its turn, and the task writes since then.
    interrupt text, interrupt_run text, interrupt_since text, interrupt_writes text,
    message_count integer NOT NULL DEFAULT 0, failed smallint NOT NULL DEFAULT 0,
    parent text, parent_key bigint REFERENCES skein.threads (key) ON DELETE SET NULL, parent_checkpoint ${ID},
    closed_by text, last_seq bigint NOT NULL DEFAULT 0,
    keeps_all smallint NOT NULL DEFAULT 0, temporary smallint NOT NULL DEFAULT 0,
    ttl bigint, ttl_strategy text, ttl_since bigint, pruned_at bigint,
    created_at bigint NOT NULL, updated_at bigint NOT NULL,
    UNIQUE (owner, thread_id)
  );
  CREATE INDEX threads_by_activity ON skein.threads (owner, updated_at, key);
  CREATE INDEX threads_by_workflow ON skein.threads (owner, workflow, updated_at, key);
  CREATE INDEX threads_interrupted ON skein.threads (owner, updated_at, key) WHERE interrupt IS NOT NULL;
  CREATE INDEX threads_failed ON skein.threads (owner, updated_at, key) WHERE failed = 1;
  CREATE INDEX threads_by_parent ON skein.threads (parent_key, parent_checkpoint) WHERE parent_key IS NOT NULL;
  CREATE INDEX threads_by_age ON skein.threads (updated_at);
  CREATE INDEX threads_temporary ON skein.threads (updated_at) WHERE temporary = 1;
  CREATE INDEX threads_expiring ON skein.threads ((greatest(updated_at, ttl_since) + ttl))
    WHERE ttl IS NOT NULL AND (ttl_strategy = 'delete' OR pruned_at IS DISTINCT FROM updated_at);
  CREATE TABLE skein.runs (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    run_id ${ID} PRIMARY KEY, thread bigint NOT NULL REFERENCES skein.threads (key) ON DELETE CASCADE,
    owner text NOT NULL, message_id text NOT NULL, workflow text NOT NULL, status text NOT NULL,
    request text NOT NULL, protocol smallint NOT NULL, supersedes smallint NOT NULL, resumes text,
    attempt integer NOT NULL DEFAULT 1, deaths integer NOT NULL DEFAULT 0, deaths_newest text,
    -- left_by: servers whose leases expired during this run since its newest checkpoint, unless they were only paused.
    lease integer NOT NULL DEFAULT 0, server text, left_by text[], stop text,
    -- The number of the last statement that wrote for this lease. A crash of the database may have undone some statements.
    writes integer NOT NULL DEFAULT 0,
    created_at bigint NOT NULL, not_before bigint, started_at bigint, finished_at bigint,
    input_tokens bigint NOT NULL DEFAULT 0, output_tokens bigint NOT NULL DEFAULT 0,
    models text, agents text, result text, error text
  );
  CREATE INDEX runs_by_thread ON skein.runs (thread, seq);
  CREATE INDEX runs_open_by_thread ON skein.runs (thread, seq) WHERE finished_at IS NULL;
  CREATE INDEX runs_queued ON skein.runs (seq) WHERE finished_at IS NULL AND status = 'queued';
  CREATE INDEX runs_running ON skein.runs (server) WHERE finished_at IS NULL AND status = 'running';
  CREATE INDEX runs_left ON skein.runs (run_id) WHERE finished_at IS NULL AND left_by IS NOT NULL;
  CREATE INDEX runs_by_owner ON skein.runs (owner, seq);
  CREATE INDEX runs_by_owner_workflow ON skein.runs (owner, workflow, seq);
  CREATE INDEX runs_not_succeeded ON skein.runs (owner, status, seq)
    WHERE finished_at IS NOT NULL AND status <> 'succeeded';
  CREATE INDEX runs_by_workflow ON skein.runs (workflow, created_at);
  CREATE TABLE skein.messages (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id ${ID} NOT NULL UNIQUE, thread bigint NOT NULL REFERENCES skein.threads (key) ON DELETE CASCADE,
    run_id ${ID} NOT NULL, workflow text NOT NULL, role text NOT NULL, content text NOT NULL,
    status text NOT NULL, user_id text, outputs text, token_count bigint, created_at bigint NOT NULL
  );
  CREATE INDEX messages_by_thread ON skein.messages (thread, seq);
  CREATE TABLE skein.feedback (
    message_id ${ID} PRIMARY KEY REFERENCES skein.messages (message_id) ON DELETE CASCADE, body text NOT NULL
  );
  CREATE TABLE skein.events (
    run_id ${ID} NOT NULL REFERENCES skein.runs (run_id) ON DELETE CASCADE,
    first bigint NOT NULL, last bigint NOT NULL, chat_first bigint NOT NULL, chat_last bigint NOT NULL,
    thread bigint NOT NULL, seq bigint NOT NULL, created_at bigint NOT NULL, body text NOT NULL,
    PRIMARY KEY (run_id, first)
  );
  CREATE UNIQUE INDEX events_by_thread ON skein.events (thread, seq);
  CREATE INDEX events_by_time ON skein.events (created_at);
  CREATE TABLE skein.state_changes (
    thread bigint NOT NULL REFERENCES skein.threads (key) ON DELETE CASCADE,
    seq bigint NOT NULL, checkpoint text NOT NULL, created_at bigint NOT NULL,
    PRIMARY KEY (thread, seq)
  );
  CREATE INDEX state_changes_by_time ON skein.state_changes (created_at);
  CREATE TABLE skein.idempotency (
    owner text NOT NULL, key text NOT NULL, digest text NOT NULL,
    run_id ${ID} NOT NULL REFERENCES skein.runs (run_id) ON DELETE CASCADE, created_at bigint NOT NULL,
    PRIMARY KEY (owner, key)
  );
  CREATE INDEX idempotency_by_time ON skein.idempotency (created_at);
  CREATE INDEX idempotency_by_run ON skein.idempotency (run_id);
`;

const CHECKPOINTS = `
  CREATE TABLE skein.checkpoints (
    thread ${ID} NOT NULL, ns ${ID} NOT NULL, id ${ID} NOT NULL, parent text, run_id ${ID},
    versions text NOT NULL, body text NOT NULL, metadata text NOT NULL, deltas text,
    PRIMARY KEY (thread, ns, id)
  );
  CREATE INDEX checkpoints_by_run ON skein.checkpoints (thread, run_id);
  CREATE INDEX checkpoints_with_deltas ON skein.checkpoints (thread) WHERE deltas IS NOT NULL;
  CREATE TABLE skein.checkpoint_values (
    thread ${ID} NOT NULL, ns ${ID} NOT NULL, channel ${ID} NOT NULL, version text NOT NULL,
    value text NOT NULL, elements text,
    PRIMARY KEY (thread, ns, channel, version)
  );
  CREATE TABLE skein.checkpoint_elements (
    thread ${ID} NOT NULL, channel ${ID} NOT NULL, seq bigint NOT NULL, value text NOT NULL,
    PRIMARY KEY (thread, channel, seq)
  );
  CREATE TABLE skein.checkpoint_writes (
    thread ${ID} NOT NULL, ns ${ID} NOT NULL, id ${ID} NOT NULL, task ${ID} NOT NULL,
    writes text NOT NULL, path ${ID} NOT NULL DEFAULT '',
    PRIMARY KEY (thread, ns, id, task)
  );
  CREATE TABLE skein.checkpoint_deltas (
    thread ${ID} NOT NULL, ns ${ID} NOT NULL, id ${ID} NOT NULL, parent text,
    versions text NOT NULL, writes text NOT NULL,
    PRIMARY KEY (thread, ns, id)
  );
`;

// Namespace and key have up to 2,000 characters each, but an index entry is limited to 2,704 bytes, so their hash is indexed.
const ITEM_PLACE = `
  CREATE FUNCTION skein.item_place(namespace text, key text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN sha256(decode(replace(length(namespace) || ' ' || namespace || key, '\\', '\\\\'), 'escape'));
`;

const OTHERS = `
  CREATE TABLE skein.spent_tokens (id ${ID} PRIMARY KEY, since bigint NOT NULL, keep_until bigint NOT NULL);
  CREATE INDEX spent_tokens_by_end ON skein.spent_tokens (keep_until);
  CREATE TABLE skein.document_authors (document text PRIMARY KEY, author text NOT NULL);
  ${ITEM_PLACE}
  CREATE TABLE skein.items (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner text NOT NULL, namespace ${ID} NOT NULL, key ${ID} NOT NULL, value text NOT NULL,
    place bytea NOT NULL GENERATED ALWAYS AS (skein.item_place(namespace, key)) STORED,
    created_at bigint NOT NULL, updated_at bigint NOT NULL, ttl bigint, expires_at bigint,
    UNIQUE (owner, place)
  );
  CREATE INDEX items_by_namespace ON skein.items (owner, left(namespace, 200), seq);
  CREATE INDEX items_expiring ON skein.items (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE skein.item_vectors (
    item bigint PRIMARY KEY REFERENCES skein.items (seq) ON DELETE CASCADE,
    embedder text NOT NULL, dims integer NOT NULL, data bytea NOT NULL
  );
  -- Vectors don't compress.
  ALTER TABLE skein.item_vectors ALTER COLUMN data SET STORAGE EXTERNAL;
  CREATE TABLE skein.assistants (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner text NOT NULL, assistant_id ${ID} NOT NULL, version integer NOT NULL,
    created_at bigint NOT NULL, updated_at bigint NOT NULL,
    UNIQUE (owner, assistant_id)
  );
  CREATE TABLE skein.assistant_versions (
    assistant bigint NOT NULL REFERENCES skein.assistants (key) ON DELETE CASCADE, version integer NOT NULL,
    graph text NOT NULL, name text NOT NULL, folded_name text NOT NULL, description text,
    config text NOT NULL, context text NOT NULL, metadata text NOT NULL, created_at bigint NOT NULL,
    PRIMARY KEY (assistant, version)
  );
  CREATE TABLE skein.webhook_deliveries (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, delivery_id ${ID} NOT NULL UNIQUE,
    thread bigint NOT NULL REFERENCES skein.threads (key) ON DELETE CASCADE, run_id ${ID} NOT NULL,
    url text NOT NULL, run text, head text, state text NOT NULL DEFAULT 'waiting',
    attempts text NOT NULL DEFAULT '[]', due_at bigint NOT NULL, held_until bigint NOT NULL DEFAULT 0,
    held_by ${ID}, settled_at bigint
  );
  CREATE INDEX webhook_deliveries_waiting ON skein.webhook_deliveries (due_at) WHERE state = 'waiting';
  CREATE INDEX webhook_deliveries_held ON skein.webhook_deliveries (held_until) WHERE held_until > 0;
  CREATE INDEX webhook_deliveries_settled ON skein.webhook_deliveries (settled_at) WHERE settled_at IS NOT NULL;
  CREATE INDEX webhook_deliveries_by_thread ON skein.webhook_deliveries (thread);
  CREATE INDEX webhook_deliveries_by_run ON skein.webhook_deliveries (run_id);
  CREATE TABLE skein.crons (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, cron_id ${ID} NOT NULL UNIQUE,
    owner text NOT NULL, owner_name text NOT NULL,
    assistant_id text NOT NULL, thread bigint REFERENCES skein.threads (key) ON DELETE CASCADE, thread_id text,
    schedule text NOT NULL, timezone text, enabled smallint NOT NULL, end_time bigint,
    on_run_completed text NOT NULL, payload text NOT NULL, metadata text NOT NULL, next_at bigint,
    held_until bigint NOT NULL DEFAULT 0, held_by ${ID}, created_at bigint NOT NULL, updated_at bigint NOT NULL
  );
  CREATE INDEX crons_by_owner ON skein.crons (owner);
  CREATE INDEX crons_by_thread ON skein.crons (thread) WHERE thread IS NOT NULL;
  CREATE INDEX crons_due ON skein.crons (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX crons_held ON skein.crons (held_until) WHERE held_until > 0;
  CREATE TABLE skein.cron_threads (
    run_id ${ID} PRIMARY KEY, owner text NOT NULL, thread_id text NOT NULL,
    held_until bigint NOT NULL DEFAULT 0, held_by ${ID}
  );
  CREATE INDEX cron_threads_held ON skein.cron_threads (held_until) WHERE held_until > 0;
  CREATE TABLE skein.sweeps (name ${ID} PRIMARY KEY, server ${ID} NOT NULL, until timestamptz NOT NULL);
  ${RETENTION_TABLES}
`;

/** The migrations in order. The version of a database is the number of applied migrations. */
export const MIGRATIONS = [
  CONVERSATIONS,
  CHECKPOINTS,
  OTHERS,
  COUNTERS,
  PROMPT_TABLES,
  USAGE,
  BUDGETS,
  RUN_FUNCTIONS,
  SEARCH_TABLES,
  // LangGraph's clients list the newest threads first.
  'CREATE INDEX threads_by_creation ON skein.threads (owner, created_at, key) WHERE temporary = 0',
  // Answers that were rated bad, which are few: the condition of `badAnswers`.
  `CREATE INDEX feedback_bad ON skein.feedback (message_id)
    WHERE substring(body FROM '"positive_feedback":(true|false|[0-9]+)') = 'false'
      OR substring(body FROM '"rating":(true|false|[0-9]+)')::int <= 2`,
  LEASE_CHECKS,
];
