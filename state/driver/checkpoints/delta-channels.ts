/** Delta channels: what of them is the same for every driver. */
import {
  type ChannelVersions,
  type CheckpointMetadata,
  type DeltaChannelHistory,
  isDeltaSnapshot,
} from '@langchain/langgraph-checkpoint';
import { decode, unpack } from '../../serializer.ts';
import { parseWrites } from './task-writes.ts';

export type DeltaHistories = Record<string, DeltaChannelHistory>;
export type DeltaWrite = [task: string, channel: string, packed: unknown];

/** What a checkpoint leaves for its children: its parent, the versions of its delta channels, and what was written to them. */
export interface DeltaStep {
  parent: string | null;
  versions: ChannelVersions;
  writes: DeltaWrite[];
}

/** The delta channels of a checkpoint that is put, JSON; null where it has none. `inherited`: its parent's. */
export function deltaChannelsOf(
  { metadata, values }: { metadata: CheckpointMetadata; values: Record<string, unknown> },
  inherited: string | null,
): string | null {
  // LangGraph counts the steps of every delta channel that has no snapshot at this checkpoint.
  const counted = Object.keys((metadata as Counted).counters_since_delta_snapshot ?? {});
  const snapshots = Object.keys(values).filter((channel) => isDeltaSnapshot(values[channel]));
  if (counted.length + snapshots.length === 0) return inherited;
  // Those of another workflow of the thread keep their values too.
  const known: string[] = inherited ? JSON.parse(inherited) : [];
  return JSON.stringify([...new Set([...known, ...counted, ...snapshots])].sort());
}

interface Counted {
  counters_since_delta_snapshot?: Record<string, unknown>;
}

export function deltaWrites(task: string, writes: string): DeltaWrite[] {
  return parseWrites(writes).map(([, channel, value]): DeltaWrite => [task, channel, value]);
}

/** Histories are gathered from the newest step to the oldest. */
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
