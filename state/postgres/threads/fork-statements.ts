/** Statements for forks: copying from the origin to a draft, and publishing the draft. */
import { MESSAGE_COLUMNS } from './copies.ts';

export const FIND_CHECKPOINT = `SELECT 1 FROM skein.checkpoints WHERE thread = $1 AND ns = '' AND id = $2`;

export const INSERT_DRAFT = `
  INSERT INTO skein.threads (owner, thread_id, title, workflow, parent_key, parent_checkpoint, created_at, updated_at)
  VALUES ('', $1, '', '', $2, $3, skein.now_ms(), 0) RETURNING key`;

export const COPY_CHECKPOINT = `
  INSERT INTO skein.checkpoints (thread, ns, id, parent, run_id, versions, body, metadata, deltas)
  SELECT $1, ns, id, NULL, run_id, versions, body, metadata, deltas FROM skein.checkpoints
  WHERE thread = $2 AND ns = $3 AND id = $4`;

// Copies the values of the copied checkpoint and of the steps before it; COPY_ELEMENTS copies their elements.
export const COPY_VALUES = `
  INSERT INTO skein.checkpoint_values (thread, ns, channel, version, value, elements)
  SELECT $1, v.ns, v.channel, v.version, v.value, v.elements FROM (
    SELECT ns, versions FROM skein.checkpoints WHERE thread = $1
    UNION ALL SELECT ns, versions FROM skein.checkpoint_deltas WHERE thread = $1) AS c,
    json_each(c.versions::json) AS named, skein.checkpoint_values AS v
  WHERE v.thread = $2 AND v.ns = c.ns AND v.channel = named.key AND v.version = named.value::text
  ON CONFLICT DO NOTHING`;

export const COPY_ELEMENTS = `
  INSERT INTO skein.checkpoint_elements (thread, channel, seq, value)
  SELECT v.thread, e.channel, e.seq, e.value FROM skein.checkpoint_values AS v,
    json_array_elements(v.elements::json) AS range, skein.checkpoint_elements AS e
  WHERE v.thread = $1 AND e.thread = $2 AND e.channel = v.channel
    AND e.seq BETWEEN (range ->> 0)::bigint AND (range ->> 1)::bigint
  ON CONFLICT DO NOTHING`;

export const FIND_RUN = `SELECT r.*, t.thread_id FROM skein.runs AS r JOIN skein.threads AS t ON t.key = r.thread
  WHERE r.run_id = $1 AND r.thread = $2`;

// Newest first, because the kept checkpoints belong to the last turns.
export const ROWS_OF_RUN =
  'SELECT seq FROM skein.messages WHERE thread = $1 AND run_id = $2 ORDER BY seq DESC LIMIT 2';
export const LAST_UNTIL =
  'SELECT seq FROM skein.messages WHERE thread = $1 AND created_at <= $2 ORDER BY seq DESC LIMIT 1';

export const COPY_MESSAGES = `
  INSERT INTO skein.messages (thread, message_id, ${MESSAGE_COLUMNS})
  SELECT $1, gen_random_uuid(), ${MESSAGE_COLUMNS} FROM skein.messages WHERE thread = $2 AND seq <= $3 ORDER BY seq`;

export const INSERT_QUESTION = `
  INSERT INTO skein.messages (message_id, thread, run_id, workflow, role, content, status, user_id, created_at)
  VALUES (gen_random_uuid(), $1, $2, $3, 'user', $4, 'complete', $5, $6)`;

export const NEWEST_MESSAGES = `SELECT message_id, role, content, status, outputs FROM skein.messages
  WHERE thread = $1 ORDER BY seq DESC LIMIT $2`;

export const LOCK_ORIGIN = 'SELECT 1 FROM skein.threads WHERE key = $1 AND owner = $2 FOR NO KEY UPDATE';
/** The thread id of a discarded draft is its key. */
export const LOCK_DRAFT = `SELECT 1 FROM skein.threads WHERE key = $1 AND owner = '' AND thread_id <> key::text FOR UPDATE`;

export const CHANGE_MESSAGE =
  'UPDATE skein.messages SET role = $1, content = $2, outputs = $3 WHERE message_id = $4';

// An added message belongs to the last run of the conversation.
export const ADD_MESSAGE = `
  INSERT INTO skein.messages (thread, run_id, message_id, workflow, role, content, status, created_at)
  VALUES ($1, coalesce((SELECT run_id FROM skein.messages WHERE thread = $1 ORDER BY seq DESC LIMIT 1), ''),
    $2, $3, $4, $5, 'complete', $6)`;

export const PUBLISH = `
  UPDATE skein.threads SET owner = $2, title = $3, parent = $4, thread_id = $5, workflow = $6, head = $7, memory = $8,
    message_count = $9, created_at = $10, updated_at = $10 WHERE key = $1`;
