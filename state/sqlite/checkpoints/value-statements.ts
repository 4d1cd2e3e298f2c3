/** Prepared statements for channel values and for the elements of lists. */
import type { Database } from 'bun:sqlite';

export interface ValueRow {
  value: string;
  elements: string | null;
}

export function valueStatements(db: Database) {
  return {
    begin: db.query('BEGIN'),
    end: db.query('COMMIT'),
    inTransaction: () => db.inTransaction,
    insert: db.query('INSERT OR REPLACE INTO checkpoint_values VALUES (?, ?, ?, ?, ?, ?)'),
    insertElement: db.query('INSERT OR REPLACE INTO checkpoint_elements VALUES (?, ?, ?, ?)'),
    one: db.query<ValueRow, [string, string, string, number | string]>(
      'SELECT value, elements FROM checkpoint_values WHERE thread = ? AND ns = ? AND channel = ? AND version = ?',
    ),
    newest: db.query<{ elements: string }, [string, string, string]>(
      `SELECT elements FROM checkpoint_values WHERE thread = ? AND ns = ? AND channel = ? AND elements IS NOT NULL
       ORDER BY version DESC LIMIT 1`,
    ),
    last: db.query<{ seq: number }, [string, string]>(
      'SELECT seq FROM checkpoint_elements WHERE thread = ? AND channel = ? ORDER BY seq DESC LIMIT 1',
    ),
    inRange: db.query<{ seq: number; value: string }, [string, string, number, number]>(
      'SELECT seq, value FROM checkpoint_elements WHERE thread = ? AND channel = ? AND seq BETWEEN ? AND ? ORDER BY seq',
    ),
    // Deletes values to which no checkpoint and no step of a delta channel refers.
    prune: db.query<unknown, [string, number]>(
      `DELETE FROM checkpoint_values WHERE rowid IN (
         SELECT rowid FROM checkpoint_values WHERE thread = ?1 AND (ns, channel, version) NOT IN (
           SELECT c.ns, named.key, named.value FROM checkpoints AS c, json_each(c.versions) AS named WHERE c.thread = ?1
           UNION ALL
           SELECT d.ns, named.key, named.value FROM checkpoint_deltas AS d, json_each(d.versions) AS named
           WHERE d.thread = ?1)
         LIMIT ?2)`,
    ),
    split: db.query<{ channel: string }, [string]>(
      'SELECT DISTINCT channel FROM checkpoint_elements WHERE thread = ?',
    ),
    ranges: db.query<{ channel: string; elements: string }, [string]>(
      'SELECT channel, elements FROM checkpoint_values WHERE thread = ? AND elements IS NOT NULL',
    ),
    removeRange: db.query<unknown, [string, string, number, number, number]>(
      `DELETE FROM checkpoint_elements WHERE rowid IN (
         SELECT rowid FROM checkpoint_elements WHERE thread = ? AND channel = ? AND seq BETWEEN ? AND ? LIMIT ?)`,
    ),
  };
}
