/** Converts checkpoints between LangGraph's types and rows: code that all drivers share. */
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import { decode, pack, unpack } from '../../checkpoints/serializer.ts';
import type { Lease } from '../../cluster/lease.ts';
import type { NewEntry } from '../../threads/events.ts';
import { nextNodes, startsNodes, type Triggers, type Versions } from './next-nodes.ts';
import { storable } from './storable.ts';
import { parseWrites, type StoredWrite } from './task-writes.ts';

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

export interface TaskWritesRow {
  task: string;
  writes: string;
}

/** A writing run: its lease, and a callback for the log entry of each checkpoint. */
export interface Writer {
  lease: Lease;
  emit(entry: NewEntry): void;
}

interface Place {
  thread_id?: string;
  checkpoint_ns?: string;
  checkpoint_id?: string;
  run_id?: string;
}

/** The JSON of a row's `body`. Values are in a separate table with one row per channel and version. */
type Body = Pick<Checkpoint, 'v' | 'ts' | 'versions_seen'>;

// A channel version is a counter in the upper bits and a random number in the lower 20 bits. Two branches of one checkpoint
// (a failed turn and the next one) thus get different versions, and their values never share a row.
const RANDOM_RANGE = 2 ** 20;

export function nextVersion(current: number | undefined): number {
  const count = Math.floor((current ?? 0) / RANDOM_RANGE) + 1;
  return count * RANDOM_RANGE + Math.floor(Math.random() * RANDOM_RANGE);
}

export function bodyOf({ v, ts, versions_seen }: Checkpoint): string {
  return JSON.stringify({ v, ts, versions_seen } satisfies Body);
}

export function writesText(writes: PendingWrite[]): string {
  return JSON.stringify(
    writes.map(
      ([channel, value], index): StoredWrite => [
        WRITES_IDX_MAP[channel] ?? index,
        channel,
        storable(channel, value, pack),
      ],
    ),
  );
}

/** `values`: the stored texts of the channels; `writes`: the writes of the checkpoint's tasks, in LangGraph's order. */
export function tupleOf(
  row: CheckpointRow,
  values: [channel: string, text: string][],
  writes: TaskWritesRow[],
): CheckpointTuple {
  const body = JSON.parse(row.body) as Body;
  const checkpoint: Checkpoint = {
    ...body,
    id: row.id,
    channel_values: Object.fromEntries(values.map(([channel, text]) => [channel, decode(text)])),
    channel_versions: JSON.parse(row.versions) as ChannelVersions,
  };
  const tuple: CheckpointTuple = {
    config: { configurable: { thread_id: row.thread, checkpoint_ns: row.ns, checkpoint_id: row.id } },
    checkpoint,
    metadata: decode(row.metadata) as CheckpointMetadata,
    pendingWrites: pendingWrites(writes),
  };
  if (row.parent !== null) {
    tuple.parentConfig = {
      configurable: { thread_id: row.thread, checkpoint_ns: row.ns, checkpoint_id: row.parent },
    };
  }
  return tuple;
}

export function hasParentSends({ checkpoint }: CheckpointTuple): boolean {
  return checkpoint.v < 4;
}

/** Before format 4 of checkpoints, sends were stored as pending writes of the parent. */
export function addParentSends({ checkpoint }: CheckpointTuple, ofParent: TaskWritesRow[]): void {
  const sends = pendingWrites(ofParent).filter(([, channel]) => channel === TASKS);
  checkpoint.channel_values[TASKS] = sends.map(([, , value]) => value);
  const versions = Object.values(checkpoint.channel_versions);
  checkpoint.channel_versions[TASKS] =
    versions.length > 0 ? maxChannelVersion(...versions) : nextVersion(undefined);
}

function pendingWrites(rows: TaskWritesRow[]): CheckpointPendingWrite[] {
  return rows.flatMap(({ task, writes }) =>
    parseWrites(writes).map(([, channel, value]): CheckpointPendingWrite => [task, channel, unpack(value)]),
  );
}

/** The log entry of a checkpoint. */
export function entryOf(
  ns: string,
  parent: string | null,
  { id, channel_values, channel_versions: versions, versions_seen: seen }: Checkpoint,
  { source, step }: CheckpointMetadata,
): NewEntry {
  const channels = Object.entries(channel_values).filter(([channel]) => startsNodes(channel));
  const next = nextNodes({
    source,
    channels,
    versions: versions as Versions,
    seen: seen as Triggers['seen'],
  });
  const location = { ...(ns !== '' && { ns: ns.split('|') }), step, checkpointId: id };
  return { ...location, kind: 'checkpoint', body: { parent, source, next } };
}

/** LangGraph's names of the place of a checkpoint. */
export function placeOf(config: RunnableConfig): Place {
  return config.configurable ?? {};
}

export function threadOf(config: RunnableConfig): string {
  const { thread_id: thread } = placeOf(config);
  if (thread === undefined)
    throw new Error("Cannot read or store a checkpoint: 'thread_id' is missing in config.configurable");
  return thread;
}

export function namespaceOf(config: RunnableConfig): string {
  return placeOf(config).checkpoint_ns ?? '';
}

/** Whether the values of a checkpoint start nodes: by triggers (`branch:to:x`, `join:a:b`) or by sends. */
export function startsAnother(values: Record<string, unknown>): boolean {
  return Object.entries(values).some(
    ([channel, value]) =>
      channel.includes(':') || (channel === TASKS && Array.isArray(value) && value.length > 0),
  );
}
