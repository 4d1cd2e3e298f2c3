/** Checkpoints for readers on SQLite. */
import type { Database } from 'bun:sqlite';
import { LAST_ID, sourceOf, storedCheckpoint } from '../../driver/checkpoints/stored-checkpoint.ts';
import type { CheckpointRow } from '../../driver/checkpoints/tuples.ts';
import { pageOf } from '../../driver/page.ts';
import type { CheckpointArchive, StoredCheckpoint } from '../../threads/archive.ts';
import type { GroupCommit } from '../file/group-commit.ts';

export function checkpointArchive(db: Database, commit: GroupCommit): CheckpointArchive {
  const page = db.query<CheckpointRow, [string, string, number]>(
    `SELECT * FROM checkpoints WHERE thread = ? AND ns = '' AND id < ? ORDER BY id DESC LIMIT ?`,
  );
  const ofRun = db.query<CheckpointRow, [string, string, string, number]>(
    'SELECT * FROM checkpoints WHERE thread = ? AND run_id = ? AND id < ? ORDER BY id DESC LIMIT ?',
  );
  const one = db.query<CheckpointRow, [string, string, string]>(
    'SELECT * FROM checkpoints WHERE thread = ? AND ns = ? AND id = ?',
  );
  const any = db.query<CheckpointRow, [string, string]>(
    'SELECT * FROM checkpoints WHERE thread = ? AND id = ?',
  );
  // Only trigger channels, so that the values of a conversation are not read. CROSS JOIN: without statistics, the planner would
  // read all values of the thread.
  const triggers = db.query<{ channel: string; value: string }, [string, string, string]>(
    `SELECT v.channel, v.value FROM json_each(?) AS named
     CROSS JOIN checkpoint_values AS v
       ON v.thread = ? AND v.ns = ? AND v.channel = named.key AND v.version = named.value
     WHERE named.key GLOB 'branch:to:*' OR named.key GLOB 'join:*' OR named.key = '__pregel_tasks'`,
  );

  /** Not needed for a checkpoint with source `input`, whose input starts the graph. */
  function triggersOf(row: CheckpointRow): [channel: string, text: string][] {
    if (sourceOf(row) === 'input') return [];
    return triggers
      .all(row.versions, row.thread, row.ns)
      .map(({ channel, value }): [string, string] => [channel, value]);
  }

  function toStored(row: CheckpointRow): StoredCheckpoint {
    const parent =
      sourceOf(row) === 'loop' && row.parent !== null ? one.get(row.thread, row.ns, row.parent) : null;
    return storedCheckpoint(
      row,
      triggersOf(row),
      parent ? { row: parent, triggers: triggersOf(parent) } : undefined,
    );
  }

  return {
    async list(key, { limit, after }, runId) {
      commit.flush();
      const [before] = after ?? [LAST_ID];
      const rows =
        runId === undefined ? page.all(key, before, limit + 1) : ofRun.all(key, runId, before, limit + 1);
      return pageOf(rows, limit, ({ id }) => [id], toStored);
    },
    async find(key, checkpointId) {
      commit.flush();
      const row = one.get(key, '', checkpointId);
      return row ? toStored(row) : undefined;
    },
    async findAny(key, checkpointId) {
      commit.flush();
      const row = any.get(key, checkpointId);
      return row ? toStored(row) : undefined;
    },
  };
}
