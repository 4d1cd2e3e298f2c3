/** Converts a checkpoint for readers: the agents that created it and the nodes that run next. */

import { decode } from '../../checkpoints/serializer.ts';
import type { StoredCheckpoint } from '../../threads/archive.ts';
import { nextNodes, type Versions } from './next-nodes.ts';
import type { CheckpointRow } from './tuples.ts';

/** A row with the stored values of its trigger channels; other values are not read. */
export interface Started {
  row: Pick<CheckpointRow, 'versions' | 'body' | 'metadata'>;
  triggers: [channel: string, text: string][];
}

/** Sorts after every id. */
export const LAST_ID = '\uffff';

/** `parent`: undefined if it has been deleted. */
export function storedCheckpoint(
  row: CheckpointRow,
  triggers: Started['triggers'],
  parent: Started | undefined,
): StoredCheckpoint {
  const { source, step } = metadataOf(row);
  return {
    checkpointId: row.id,
    namespace: row.ns,
    parentId: row.parent,
    step,
    source,
    // A superstep runs all next nodes of the parent together and creates one checkpoint.
    agents: source === 'loop' && parent ? nextOf(parent).filter((node) => node !== '__start__') : [],
    next: nextOf({ row, triggers }),
    createdAt: (JSON.parse(row.body) as { ts: string }).ts,
    runId: row.run_id,
  };
}

export function sourceOf(row: Started['row']): string {
  return metadataOf(row).source;
}

function nextOf({ row, triggers }: Started): string[] {
  const source = sourceOf(row);
  const { versions_seen: seen } = JSON.parse(row.body) as { versions_seen: Record<string, Versions> };
  const started = source === 'input' ? [] : triggers;
  const channels = started.map(([channel, text]): [string, unknown] => [channel, decode(text)]);
  return nextNodes({ source, channels, versions: JSON.parse(row.versions), seen });
}

function metadataOf(row: Started['row']): { source: string; step: number } {
  return decode(row.metadata) as { source: string; step: number };
}
