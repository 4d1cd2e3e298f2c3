/** Prepared statements for delta channels. */
import type { Database } from 'bun:sqlite';
import type { CheckpointRow, StepRow, ValuedRow } from '../../driver/checkpoints/needed-steps.ts';

export function deltaStatements(db: Database) {
  return {
    deltas: db.query<{ deltas: string | null }, [string, string, string]>(
      'SELECT deltas FROM checkpoints WHERE thread = ? AND ns = ? AND id = ?',
    ),
    checkpoint: db.query<{ parent: string | null; versions: string }, [string, string, string]>(
      'SELECT parent, versions FROM checkpoints WHERE thread = ? AND ns = ? AND id = ?',
    ),
    step: db.query<StepRow, [string, string, string]>(
      'SELECT * FROM checkpoint_deltas WHERE thread = ? AND ns = ? AND id = ?',
    ),
    steps: db.query<StepRow, [string]>(
      'SELECT ns, id, parent, versions, writes FROM checkpoint_deltas WHERE thread = ?',
    ),
    any: db.query<object, [string]>(
      'SELECT 1 FROM checkpoints WHERE thread = ? AND deltas IS NOT NULL LIMIT 1',
    ),
    withDeltas: db.query<CheckpointRow, [string]>(
      'SELECT ns, id, parent, versions, deltas FROM checkpoints WHERE thread = ? AND deltas IS NOT NULL',
    ),
    unsettled: db.query<CheckpointRow, [string]>(
      `SELECT c.ns, c.id, c.parent, c.versions, c.deltas FROM checkpoints AS c
       LEFT JOIN checkpoint_deltas AS d ON d.thread = c.thread AND d.ns = c.ns AND d.id = c.id
       WHERE c.thread = ? AND c.deltas IS NOT NULL AND (d.id IS NULL OR EXISTS (
         SELECT 1 FROM checkpoint_writes AS w WHERE w.thread = c.thread AND w.ns = c.ns AND w.id = c.id))`,
    ),
    valued: db.query<ValuedRow, [string]>(
      `SELECT ns, channel, version FROM checkpoint_values WHERE thread = ?1 AND channel IN (
         SELECT named.value FROM checkpoints AS c, json_each(c.deltas) AS named
         WHERE c.thread = ?1 AND c.deltas IS NOT NULL)`,
    ),
    writes: db.query<{ task: string; writes: string }, [string, string, string]>(
      'SELECT task, writes FROM checkpoint_writes WHERE thread = ? AND ns = ? AND id = ? ORDER BY path, task',
    ),
    deleteWrites: db.query('DELETE FROM checkpoint_writes WHERE thread = ?'),
    putStep: db.query('INSERT OR REPLACE INTO checkpoint_deltas VALUES (?, ?, ?, ?, ?, ?)'),
    relink: db.query('UPDATE checkpoint_deltas SET parent = ? WHERE thread = ? AND ns = ? AND id = ?'),
    deleteStep: db.query('DELETE FROM checkpoint_deltas WHERE thread = ? AND ns = ? AND id = ?'),
  };
}
