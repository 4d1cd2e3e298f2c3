/** Prepared statements for forks. */
import type { Database } from 'bun:sqlite';
import type { RunRow } from '../../driver/rows.ts';
import type { DraftRow } from '../../driver/stored-message.ts';

export function forkStatements(db: Database) {
  return {
    checkpoint: db.query<object, [string, string]>(
      `SELECT 1 FROM checkpoints WHERE thread = ? AND ns = '' AND id = ?`,
    ),
    insertDraft: db.query(
      `INSERT INTO threads (owner, thread_id, title, workflow, parent_key, parent_checkpoint, created_at, updated_at)
       VALUES ('', ?, '', '', CAST(? AS INTEGER), ?, 0, 0)`,
    ),
    copyCheckpoint: db.query(
      `INSERT INTO checkpoints (thread, ns, id, parent, run_id, versions, body, metadata, deltas)
       SELECT ?, ns, id, NULL, run_id, versions, body, metadata, deltas FROM checkpoints
       WHERE thread = ? AND ns = ? AND id = ?`,
    ),
    // Copies the values of the copied checkpoint and of the steps before it; `copyElements` copies their elements. CROSS JOIN:
    // without statistics, the planner would read all values of the thread.
    copyValues: db.query(
      `INSERT OR IGNORE INTO checkpoint_values (thread, ns, channel, version, value, elements)
       SELECT ?1, v.ns, v.channel, v.version, v.value, v.elements FROM (
         SELECT ns, versions FROM checkpoints WHERE thread = ?1
         UNION ALL SELECT ns, versions FROM checkpoint_deltas WHERE thread = ?1) AS c
       CROSS JOIN json_each(c.versions) AS named CROSS JOIN checkpoint_values AS v
         ON v.thread = ?2 AND v.ns = c.ns AND v.channel = named.key AND v.version = named.value`,
    ),
    copyElements: db.query(
      `INSERT OR IGNORE INTO checkpoint_elements (thread, channel, seq, value)
       SELECT v.thread, e.channel, e.seq, e.value FROM checkpoint_values AS v
       CROSS JOIN json_each(v.elements) AS range CROSS JOIN checkpoint_elements AS e
         ON e.thread = ? AND e.channel = v.channel AND e.seq BETWEEN range.value ->> 0 AND range.value ->> 1
       WHERE v.thread = ?`,
    ),

    run: db.query<RunRow, [string, string]>(
      `SELECT r.*, t.thread_id FROM runs AS r JOIN threads AS t ON t.key = r.thread
       WHERE r.run_id = ? AND r.thread = ?`,
    ),
    // Newest first, because the kept checkpoints belong to the last turns.
    rowsOf: db.query<{ seq: number }, [string, string]>(
      'SELECT seq FROM messages WHERE thread = ? AND run_id = ? ORDER BY seq DESC LIMIT 2',
    ),
    lastUntil: db.query<{ seq: number }, [string, number]>(
      'SELECT seq FROM messages WHERE thread = ? AND created_at <= ? ORDER BY seq DESC LIMIT 1',
    ),
    slice: db.query<{ seq: number }, [string, number, number, number]>(
      'SELECT seq FROM messages WHERE thread = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
    ),
    copyMessages: db.query(
      `INSERT INTO messages (thread, message_id, run_id, workflow, role, content, status, user_id, outputs,
         token_count, created_at)
       SELECT ?, ids.value, m.run_id, m.workflow, m.role, m.content, m.status, m.user_id, m.outputs,
         m.token_count, m.created_at
       FROM json_each(?) AS ids JOIN (
         SELECT *, row_number() OVER (ORDER BY seq) - 1 AS place FROM messages
         WHERE thread = ? AND seq > ? AND seq <= ?) AS m ON m.place = ids.key
       ORDER BY m.seq`,
    ),
    insertQuestion: db.query(
      `INSERT INTO messages (message_id, thread, run_id, workflow, role, content, status, user_id, created_at)
       VALUES (?, ?, ?, ?, 'user', ?, 'complete', ?, ?)`,
    ),
    newest: db.query<DraftRow, [string, number]>(
      `SELECT message_id, role, content, status, outputs FROM messages WHERE thread = ? ORDER BY seq DESC LIMIT ?`,
    ),

    origin: db.query<object, [string, string]>('SELECT 1 FROM threads WHERE key = ? AND owner = ?'),
    changeMessage: db.query('UPDATE messages SET role = ?, content = ?, outputs = ? WHERE message_id = ?'),
    // An added message belongs to the last run of the conversation.
    addMessage: db.query(
      `INSERT INTO messages (thread, run_id, message_id, workflow, role, content, status, created_at)
       VALUES (?1, coalesce((SELECT run_id FROM messages WHERE thread = ?1 ORDER BY seq DESC LIMIT 1), ''),
         ?2, ?3, ?4, ?5, 'complete', ?6)`,
    ),
    publish: db.query(
      `UPDATE threads SET owner = $owner, thread_id = $threadId, title = $title, workflow = $workflow,
         parent = $parent, head = $head, memory = $memory, message_count = $count, created_at = $at,
         updated_at = $at WHERE key = $key`,
    ),
  };
}
