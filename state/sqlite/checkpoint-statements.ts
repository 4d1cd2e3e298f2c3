/** The SQL of the checkpoint saver, prepared once per database. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';

export interface CheckpointRow {
  thread: string;
  ns: string;
  id: string;
  parent: string | null;
  run_id: string | null;
  versions: string;
  body: string;
  metadata: string;
}

export interface ValueRow {
  channel: string;
  value: string;
}

export interface WritesRow {
  task: string;
  writes: string;
}

/** What `list` selects by; an undefined field does not narrow. */
export interface Selection {
  thread?: string;
  ns?: string;
  id?: string;
  before?: string;
}

export type CheckpointStatements = ReturnType<typeof checkpointStatements>;

export function checkpointStatements(db: Database) {
  return {
    holds: db.query<object, [string, number]>(
      'SELECT 1 FROM runs WHERE run_id = ? AND lease = ? AND finished_at IS NULL',
    ),
    one: db.query<CheckpointRow, [string, string, string]>(
      'SELECT * FROM checkpoints WHERE thread = ? AND ns = ? AND id = ?',
    ),
    newest: db.query<CheckpointRow, [string, string]>(
      'SELECT * FROM checkpoints WHERE thread = ? AND ns = ? ORDER BY id DESC LIMIT 1',
    ),
    insert: db.query(
      `INSERT OR REPLACE INTO checkpoints (thread, ns, id, parent, run_id, versions, body, metadata)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertValue: db.query('INSERT OR REPLACE INTO checkpoint_values VALUES (?, ?, ?, ?, ?)'),
    // One row per channel and version that the checkpoint names; a channel that was empty has no row.
    valuesOf: db.query<ValueRow, [string, string, string]>(
      `SELECT v.channel, v.value FROM json_each(?) AS named
       JOIN checkpoint_values AS v
         ON v.thread = ? AND v.ns = ? AND v.channel = named.key AND v.version = named.value`,
    ),
    allWritesOf: db.query<WritesRow, [string, string, string]>(
      'SELECT task, writes FROM checkpoint_writes WHERE thread = ? AND ns = ? AND id = ? ORDER BY task',
    ),
    writesOf: db.query<WritesRow, [string, string, string, string]>(
      'SELECT task, writes FROM checkpoint_writes WHERE thread = ? AND ns = ? AND id = ? AND task = ?',
    ),
    insertWrites: db.query('INSERT OR IGNORE INTO checkpoint_writes VALUES (?, ?, ?, ?, ?)'),
    updateWrites: db.query(
      'UPDATE checkpoint_writes SET writes = ? WHERE thread = ? AND ns = ? AND id = ? AND task = ?',
    ),
    listed: (by: Selection) => listed(db, by),
    prune: prune(db),
    deleteThread(thread: string): void {
      for (const table of TABLES) db.query(`DELETE FROM ${table} WHERE thread = ?`).run(thread);
    },
  };
}

const TABLES = ['checkpoints', 'checkpoint_values', 'checkpoint_writes'] as const;

function listed(db: Database, by: Selection): CheckpointRow[] {
  const conditions: string[] = [];
  const values: SQLQueryBindings[] = [];
  const narrow = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  narrow('thread = ?', by.thread);
  narrow('ns = ?', by.ns);
  narrow('id = ?', by.id);
  narrow('id < ?', by.before);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return db
    .query<CheckpointRow, SQLQueryBindings[]>(`SELECT * FROM checkpoints ${where} ORDER BY id DESC`)
    .all(...values);
}

/** Deletes the checkpoints of a thread that `ids` names, then the values and writes that no checkpoint names any more. */
function prune(db: Database) {
  const checkpoints = db.query(
    'DELETE FROM checkpoints WHERE thread = ? AND id IN (SELECT value FROM json_each(?))',
  );
  const writes = db.query(
    'DELETE FROM checkpoint_writes WHERE thread = ? AND id IN (SELECT value FROM json_each(?))',
  );
  const values = db.query(
    `DELETE FROM checkpoint_values WHERE thread = ?1 AND (ns, channel, version) NOT IN (
       SELECT c.ns, named.key, named.value FROM checkpoints AS c, json_each(c.versions) AS named WHERE c.thread = ?1)`,
  );
  return (thread: string, ids: string[]): void => {
    const json = JSON.stringify(ids);
    checkpoints.run(thread, json);
    writes.run(thread, json);
    values.run(thread);
  };
}
