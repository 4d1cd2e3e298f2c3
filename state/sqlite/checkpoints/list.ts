/** Checkpoints for readers on SQLite: what made each, and what would run from it. */
import type { Database } from 'bun:sqlite';
import type { CheckpointArchive, StoredCheckpoint } from '../../archive.ts';
import { nextNodes, type Versions } from '../../driver/checkpoints/next-nodes.ts';
import { pageOf } from '../../driver/page.ts';
import { decode } from '../../serializer.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import type { CheckpointRow } from './statements.ts';

/** Greater than every id. */
const END = '\uffff';

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
  // Only what starts nodes: the values of a conversation are not read.
  const triggers = db.query<{ channel: string; value: string }, [string, string, string]>(
    `SELECT v.channel, v.value FROM json_each(?) AS named
     JOIN checkpoint_values AS v
       ON v.thread = ? AND v.ns = ? AND v.channel = named.key AND v.version = named.value
     WHERE named.key GLOB 'branch:to:*' OR named.key GLOB 'join:*' OR named.key = '__pregel_tasks'`,
  );

  function nextOf(row: CheckpointRow): string[] {
    const source = sourceOf(row);
    const { versions_seen: seen } = JSON.parse(row.body) as { versions_seen: Record<string, Versions> };
    const started = source === 'input' ? [] : triggers.all(row.versions, row.thread, row.ns);
    const channels = started.map(({ channel, value }): [string, unknown] => [channel, decode(value)]);
    return nextNodes({ source, channels, versions: JSON.parse(row.versions), seen });
  }

  /** All nodes that would run from a checkpoint make the next one, together. */
  function agentsOf(row: CheckpointRow): string[] {
    if (sourceOf(row) !== 'loop' || row.parent === null) return [];
    const parent = one.get(row.thread, row.ns, row.parent);
    return parent ? nextOf(parent).filter((node) => node !== '__start__') : [];
  }

  function toStored(row: CheckpointRow): StoredCheckpoint {
    const { source, step } = metadataOf(row);
    return {
      checkpointId: row.id,
      namespace: row.ns,
      parentId: row.parent,
      step,
      source,
      agents: agentsOf(row),
      next: nextOf(row),
      createdAt: (JSON.parse(row.body) as { ts: string }).ts,
      runId: row.run_id,
    };
  }

  return {
    async list(key, { limit, after }, runId) {
      commit.flush();
      const [before] = after ?? [END];
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

function metadataOf(row: CheckpointRow): { source: string; step: number } {
  return decode(row.metadata) as { source: string; step: number };
}

function sourceOf(row: CheckpointRow): string {
  return metadataOf(row).source;
}
