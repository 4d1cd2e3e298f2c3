/** Checkpoints for readers on SQLite: what made each, and what would run from it. */
import type { Database } from 'bun:sqlite';
import type { CheckpointArchive, StoredCheckpoint } from '../archive.ts';
import type { CheckpointRow } from './checkpoint-statements.ts';
import type { GroupCommit } from './group-commit.ts';
import { pageOf } from './listings.ts';
import { decode } from './serializer.ts';

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
    if (sourceOf(row) === 'input') return ['__start__'];
    const isNew = unseen(row);
    const nodes = triggers
      .all(row.versions, row.thread, row.ns)
      .flatMap(({ channel, value }) =>
        startedBy(channel, decode(value)).filter((node) => isNew(node, channel)),
      );
    return [...new Set(nodes)].sort();
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

type Versions = Record<string, number>;

/** Whether a node has not run for a channel's present value yet, as LangGraph itself decides it. */
function unseen({ versions, body }: CheckpointRow): (node: string, channel: string) => boolean {
  const now = JSON.parse(versions) as Versions;
  const { versions_seen: seen } = JSON.parse(body) as { versions_seen: Record<string, Versions> };
  return (node, channel) =>
    channel === SENDS || (now[channel] ?? 0) > (seen[node]?.[channel] ?? Number.NEGATIVE_INFINITY);
}

const SENDS = '__pregel_tasks';
const BRANCH = 'branch:to:';

/** The nodes that a channel's value starts. LangGraph writes triggers as `branch:to:<node>` and `join:<a>+<b>:<node>`. */
function startedBy(channel: string, value: unknown): string[] {
  if (channel === SENDS) return (value as { node: string }[]).map(({ node }) => node);
  if (channel.startsWith(BRANCH)) return isHeldBack(value) ? [] : [channel.slice(BRANCH.length)];
  const [, from = '', node = ''] = channel.split(':');
  const seen = isDeferred(value) ? value[0] : value;
  return !isHeldBack(value) && (seen as string[]).length === from.split('+').length ? [node] : [];
}

/** A deferred node's trigger is a pair: the value, and whether everything else has finished. */
function isDeferred(value: unknown): value is [unknown, boolean] {
  return Array.isArray(value) && typeof value[1] === 'boolean';
}

/** A deferred trigger that was used up is stored as undefined. */
function isHeldBack(value: unknown): boolean {
  return value === undefined || (isDeferred(value) && !value[1]);
}
