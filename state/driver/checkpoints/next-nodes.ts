/** Which nodes would run from a checkpoint, as LangGraph itself decides it. */

export type Versions = Record<string, number>;

export interface Triggers {
  source: string;
  /** Channels that start nodes, with their values. */
  channels: [name: string, value: unknown][];
  versions: Versions;
  /** What each node has seen. */
  seen: Record<string, Versions>;
}

/** Sorted, each once. */
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
