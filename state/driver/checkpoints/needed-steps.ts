/** Determines the steps of a thread from which the delta channels of its checkpoints are rebuilt. */
import type { ChannelVersions } from '@langchain/langgraph-checkpoint';

export interface StepRow {
  ns: string;
  id: string;
  parent: string | null;
  versions: string;
  writes: string;
}

export interface CheckpointRow extends Omit<StepRow, 'writes'> {
  deltas: string;
}

/** A version with a stored value: a snapshot, or a value from before the channel became a delta channel. */
export interface ValuedRow {
  ns: string;
  channel: string;
  version: number | string;
}

interface Node {
  ns: string;
  parent: string | null;
  versions: ChannelVersions;
  isCheckpoint: boolean;
  /** Whether it has neither writes nor values. */
  isEmpty: boolean;
}

/**
 * Returns a function that returns the new parent of a step, or undefined if the step is not needed. For each of its delta
 * channels, a checkpoint needs the steps back to the nearest one with a value. Empty steps whose checkpoint has been deleted
 * are skipped, so a channel without further writes keeps no steps.
 */
export function neededSteps(steps: StepRow[], checkpoints: CheckpointRow[], values: ValuedRow[]) {
  const valued = new Set(values.map(({ ns, channel, version }) => keyOf(ns, channel, version)));
  const hasValue = ({ ns, versions }: Node, channel: string) =>
    valued.has(keyOf(ns, channel, versions[channel]));
  const nodes = new Map<string, Node>();
  for (const row of [...steps, ...checkpoints]) {
    const { ns, id, parent } = row;
    const isCheckpoint = 'deltas' in row;
    const before = nodes.get(keyOf(ns, id));
    const node = { ns, parent, versions: JSON.parse(row.versions), isCheckpoint, isEmpty: false };
    const isEmpty = 'writes' in row && row.writes === '[]' && !hasAny(node);
    // If both rows exist, use the parent of the step: it is the nearest remaining step, while the checkpoint's row still
    // names the original parent.
    nodes.set(keyOf(ns, id), before ? { ...before, isCheckpoint: true } : { ...node, isEmpty });
  }

  function hasAny(node: Node): boolean {
    return Object.keys(node.versions).some((channel) => hasValue(node, channel));
  }

  const needed = new Set<string>();
  const visited = new Set<string>();

  /** Marks the ancestors of a node up to the first one in which the channel has a value. */
  function markSteps(start: Node, channel: string): void {
    // A channel without a version has never been written to.
    for (let node = start; node.versions[channel] !== undefined && !hasValue(node, channel); ) {
      const key = keyOf(node.ns, node.parent);
      const parent = nodes.get(key);
      if (!parent || visited.has(keyOf(key, channel))) return;
      visited.add(keyOf(key, channel));
      needed.add(key);
      node = parent;
    }
  }

  for (const { ns, id, deltas } of checkpoints) {
    const node = nodes.get(keyOf(ns, id));
    if (node) for (const channel of JSON.parse(deltas) as string[]) markSteps(node, channel);
  }
  const isSkipped = (node: Node | undefined) => node?.isEmpty === true && !node.isCheckpoint;

  return ({ ns, id, parent }: StepRow): string | null | undefined => {
    const node = nodes.get(keyOf(ns, id));
    if (!node || isSkipped(node) || !(node.isCheckpoint || needed.has(keyOf(ns, id)))) return undefined;
    let next = parent;
    while (next !== null && isSkipped(nodes.get(keyOf(ns, next))))
      next = nodes.get(keyOf(ns, next))?.parent ?? null;
    return next;
  };
}

function keyOf(...parts: unknown[]): string {
  return parts.join('\n');
}
