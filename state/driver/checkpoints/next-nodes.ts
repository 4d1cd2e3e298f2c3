/** Determines the nodes that run next from a checkpoint, by LangGraph's rules. */

export type Versions = Record<string, number>;

export interface Triggers {
  source: string;
  /** Trigger channels with their values. */
  channels: [name: string, value: unknown][];
  versions: Versions;
  /** The channel versions that each node has seen. */
  seen: Record<string, Versions>;
}

/** The names of the next nodes, sorted and without duplicates. */
export function nextNodes({ source, channels, versions, seen }: Triggers): string[] {
  if (source === 'input') return ['__start__'];
  const isNew = (node: string, channel: string) =>
    channel === SENDS || (versions[channel] ?? 0) > (seen[node]?.[channel] ?? Number.NEGATIVE_INFINITY);
  const nodes = channels.flatMap(([channel, value]) =>
    startedBy(channel, value).filter((node) => isNew(node, channel)),
  );
  return [...new Set(nodes)].sort();
}

export function startsNodes(channel: string): boolean {
  return channel === SENDS || channel.startsWith(BRANCH) || channel.startsWith('join:');
}

const SENDS = '__pregel_tasks';
const BRANCH = 'branch:to:';

/** The nodes that a channel's value starts. LangGraph names triggers `branch:to:<node>` and `join:<a>+<b>:<node>`. */
function startedBy(channel: string, value: unknown): string[] {
  if (channel === SENDS) return (value as { node: string }[]).map(({ node }) => node);
  if (channel.startsWith(BRANCH)) return isHeldBack(value) ? [] : [channel.slice(BRANCH.length)];
  const [, from = '', node = ''] = channel.split(':');
  const seen = isDeferred(value) ? value[0] : value;
  return !isHeldBack(value) && (seen as string[]).length === from.split('+').length ? [node] : [];
}

/** The trigger of a deferred node is a pair of the value and whether all other nodes have finished. */
function isDeferred(value: unknown): value is [unknown, boolean] {
  return Array.isArray(value) && typeof value[1] === 'boolean';
}

/** A consumed trigger of a deferred node is stored as undefined. */
function isHeldBack(value: unknown): boolean {
  return value === undefined || (isDeferred(value) && !value[1]);
}
