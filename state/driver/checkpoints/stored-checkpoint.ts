/** A checkpoint for readers: what made it, and what would run from it. */
import type { StoredCheckpoint } from '../../archive.ts';
import { decode } from '../../serializer.ts';
import { nextNodes, type Versions } from './next-nodes.ts';
import type { CheckpointRow } from './tuples.ts';

/** A row with the channels that start nodes, and their texts: of others the values are not read. */
export interface Started {
  row: Pick<CheckpointRow, 'versions' | 'body' | 'metadata'>;
  triggers: [channel: string, text: string][];
}

/** Greater than every id. */
export const LAST_ID = '\uffff';

/** `parent`: undefined where it is no longer there. */
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
    // All nodes that would run from a checkpoint make the next one, together.
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
