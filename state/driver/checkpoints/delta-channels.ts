/** Delta channels: code that all drivers share. */
import {
  type ChannelVersions,
  type CheckpointMetadata,
  type DeltaChannelHistory,
  isDeltaSnapshot,
} from '@langchain/langgraph-checkpoint';
import { decode, unpack } from '../../checkpoints/serializer.ts';
import { parseWrites } from './task-writes.ts';

export type DeltaHistories = Record<string, DeltaChannelHistory>;
export type DeltaWrite = [task: string, channel: string, packed: unknown];

/**
 * The data of a checkpoint from which the delta channels of its descendants are rebuilt: its parent, the versions of its
 * delta channels, and the writes to them.
 */
export interface DeltaStep {
  parent: string | null;
  versions: ChannelVersions;
  writes: DeltaWrite[];
}

/** The delta channels of a new checkpoint as JSON; null if it has none. `inherited`: those of its parent. */
export function deltaChannelsOf(
  { metadata, values }: { metadata: CheckpointMetadata; values: Record<string, unknown> },
  inherited: string | null,
): string | null {
  // LangGraph counts the steps since the last snapshot for every delta channel without a snapshot at this checkpoint.
  const counted = Object.keys((metadata as Counted).counters_since_delta_snapshot ?? {});
  const snapshots = Object.keys(values).filter((channel) => isDeltaSnapshot(values[channel]));
  if (counted.length + snapshots.length === 0) return inherited;
  // Keep inherited channels: they may belong to another workflow of the thread.
  const known: string[] = inherited ? JSON.parse(inherited) : [];
  return JSON.stringify([...new Set([...known, ...counted, ...snapshots])].sort());
}

interface Counted {
  counters_since_delta_snapshot?: Record<string, unknown>;
}

export function deltaWrites(task: string, writes: string): DeltaWrite[] {
  return parseWrites(writes).map(([, channel, value]): DeltaWrite => [task, channel, value]);
}

/** Collects the histories of channels. `add` must be called from the newest step to the oldest. */
export function gatherHistories(channels: string[]) {
  const histories: DeltaHistories = Object.fromEntries(channels.map((channel) => [channel, { writes: [] }]));
  return {
    add(open: string[], { writes }: DeltaStep, seeds: [channel: string, text: string][]): void {
      for (const [task, channel, value] of writes.toReversed())
        if (open.includes(channel)) histories[channel]?.writes.push([task, channel, unpack(value)]);
      for (const [channel, text] of seeds) Object.assign(histories[channel] ?? {}, { seed: decode(text) });
    },
    done(): DeltaHistories {
      for (const { writes } of Object.values(histories)) writes.reverse();
      return histories;
    },
  };
}

export function picked(versions: ChannelVersions, channels: string[]): ChannelVersions {
  return Object.fromEntries(Object.entries(versions).filter(([channel]) => channels.includes(channel)));
}
