/** Which steps of a thread its checkpoints' delta channels are rebuilt from. */
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

/** A version that has a value: a snapshot, or one of the time when the channel was an ordinary one. */
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
 * Gives what the parent of a step is to be, undefined where the step is not needed. A checkpoint needs, for each of its
 * delta channels, the steps up to the nearest that has a value. Empty steps are passed over where their checkpoint is
 * gone: a channel that is never written to again keeps none.
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
    // What was kept of a checkpoint names the nearest step that is left, its own row the parent that it had.
    nodes.set(keyOf(ns, id), before ? { ...before, isCheckpoint: true } : { ...node, isEmpty });
  }

  function hasAny(node: Node): boolean {
    return Object.keys(node.versions).some((channel) => hasValue(node, channel));
  }

  const parentOf = ({ ns, parent }: Node) => (parent === null ? undefined : keyOf(ns, parent));
  const needed = new Set<string>();
  const walked = new Set<string>();

  /** Marks the steps before a node, as far as the channel has no value. */
  function walk(start: Node, channel: string): void {
    // A channel that has no version has never been written to.
    for (let node = start; node.versions[channel] !== undefined && !hasValue(node, channel); ) {
      const key = parentOf(node) ?? '';
      const parent = nodes.get(key);
      if (!parent || walked.has(keyOf(key, channel))) return;
      walked.add(keyOf(key, channel));
      needed.add(key);
      node = parent;
    }
  }

  for (const { ns, id, deltas } of checkpoints) {
    const node = nodes.get(keyOf(ns, id));
    if (node) for (const channel of JSON.parse(deltas) as string[]) walk(node, channel);
  }
  const isPassedOver = (node: Node | undefined) => node?.isEmpty === true && !node.isCheckpoint;

  return ({ ns, id, parent }: StepRow): string | null | undefined => {
    const node = nodes.get(keyOf(ns, id));
    if (!node || isPassedOver(node) || !(node.isCheckpoint || needed.has(keyOf(ns, id)))) return undefined;
    let next = parent;
    while (next !== null && isPassedOver(nodes.get(keyOf(ns, next))))
      next = nodes.get(keyOf(ns, next))?.parent ?? null;
    return next;
  };
}

function keyOf(...parts: unknown[]): string {
  return parts.join('\n');
}
