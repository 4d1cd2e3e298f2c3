/** Prepared statements for the checkpoint saver. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { mergeWrites } from '../../driver/checkpoints/task-writes.ts';
import type { CheckpointRow, TaskWritesRow } from '../../driver/checkpoints/tuples.ts';
import { deltaStatements } from './delta-statements.ts';
import { valueStatements } from './value-statements.ts';

/** The conditions of `list`. Undefined fields match everything. */
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
      `INSERT OR REPLACE INTO checkpoints (thread, ns, id, parent, run_id, versions, body, metadata, deltas)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
         coalesce(?9, (SELECT deltas FROM checkpoints WHERE thread = ?1 AND ns = ?2 AND id = ?4)))`,
    ),
    // In the order in which LangGraph applies them.
    allWritesOf: db.query<TaskWritesRow, [string, string, string]>(
      'SELECT task, writes FROM checkpoint_writes WHERE thread = ? AND ns = ? AND id = ? ORDER BY path, task',
    ),
    addWrites: addWrites(db),
    values: valueStatements(db),
    deltas: deltaStatements(db),
    /** Newest first. A negative limit is none. */
    listed: (by: Selection, limit: number) => listed(db, by, limit),
    prune: prune(db),
    deleteThread(thread: string): void {
      for (const table of TABLES) db.query(`DELETE FROM ${table} WHERE thread = ?`).run(thread);
    },
  };
}

const TABLES = ['checkpoints', 'checkpoint_values', 'checkpoint_writes'].concat([
  'checkpoint_elements',
  'checkpoint_deltas',
]);

function listed(db: Database, by: Selection, limit: number): CheckpointRow[] {
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
    .query<CheckpointRow, SQLQueryBindings[]>(`SELECT * FROM checkpoints ${where} ORDER BY id DESC LIMIT ?`)
    .all(...values, limit);
}

interface TaskOfCheckpoint {
  thread: string;
  ns: string;
  id: string;
  task: string;
  path: string;
}

/** Returns a function that stores writes of a task, and merges them with those that it has already stored. */
function addWrites(db: Database) {
  const insert = db.query('INSERT OR IGNORE INTO checkpoint_writes VALUES (?, ?, ?, ?, ?, ?)');
  const stored = db.query<{ writes: string }, [string, string, string, string]>(
    'SELECT writes FROM checkpoint_writes WHERE thread = ? AND ns = ? AND id = ? AND task = ?',
  );
  const update = db.query(
    'UPDATE checkpoint_writes SET writes = ? WHERE thread = ? AND ns = ? AND id = ? AND task = ?',
  );
  return ({ thread, ns, id, task, path }: TaskOfCheckpoint, text: string): void => {
    const { changes } = insert.run(thread, ns, id, task, text, path);
    if (changes > 0) return;
    const row = stored.get(thread, ns, id, task);
    const merged = mergeWrites(row ? JSON.parse(row.writes) : [], JSON.parse(text));
    update.run(JSON.stringify(merged), thread, ns, id, task);
  };
}

/** Returns a function that deletes checkpoints of a thread and their task writes. */
function prune(db: Database) {
  const checkpoints = db.query(
    'DELETE FROM checkpoints WHERE thread = ? AND id IN (SELECT value FROM json_each(?))',
  );
  const writes = db.query(
    'DELETE FROM checkpoint_writes WHERE thread = ? AND id IN (SELECT value FROM json_each(?))',
  );
  return (thread: string, ids: string[]): void => {
    const json = JSON.stringify(ids);
    checkpoints.run(thread, json);
    writes.run(thread, json);
  };
}
