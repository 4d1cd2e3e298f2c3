/** Checks that the values and elements to which a thread's checkpoints refer exist. */
import type { Range } from '../../driver/checkpoints/list-elements.ts';
import { startsNodes } from '../../driver/checkpoints/next-nodes.ts';
import type { Row } from '../store.ts';

export interface ThreadRows {
  head: string | null;
  checkpoints: Row[];
  values: Row[];
  elements: Row[];
}

/** Returns a description of each missing row. */
export function checkThread({ head, checkpoints, values, elements }: ThreadRows): string[] {
  const hasHead = head === null || checkpoints.some(({ ns, id }) => ns === '' && id === head);
  return [
    ...(hasHead ? [] : [`its head ${head} is none of its checkpoints`]),
    ...missingValues(checkpoints, values),
    ...missingElements(values, elements),
  ];
}

interface ChannelVersions {
  /** By version: the checkpoints that refer to it. */
  versions: Map<string, string[]>;
  stored: Set<string>;
  isList: boolean;
}

/**
 * If a version has no value, either the channel was emptied or the value was lost. Some channels are emptied regularly, so
 * missing values are only reported if less than half of the channel's versions lack one, or if the channel has long lists,
 * which are never emptied.
 */
function missingValues(checkpoints: Row[], values: Row[]): string[] {
  const channels = new Map<string, ChannelVersions>();
  const of = (ns: unknown, channel: unknown): ChannelVersions => {
    const key = JSON.stringify([ns, channel]);
    const known = channels.get(key) ?? { versions: new Map(), stored: new Set(), isList: false };
    channels.set(key, known);
    return known;
  };
  for (const { ns, channel, version, elements } of values) {
    const named = of(ns, channel);
    named.stored.add(String(version));
    named.isList ||= elements !== null;
  }
  for (const { ns, id, versions, deltas } of checkpoints) {
    const rebuilt: string[] = typeof deltas === 'string' ? JSON.parse(deltas) : [];
    for (const [channel, version] of Object.entries(JSON.parse(String(versions)))) {
      if (startsNodes(channel) || channel.startsWith('__') || rebuilt.includes(channel)) continue;
      const { versions } = of(ns, channel);
      versions.set(String(version), [...(versions.get(String(version)) ?? []), String(id)]);
    }
  }
  return [...channels].flatMap(([key, { versions, stored, isList }]) => {
    const missing = [...versions].filter(([version]) => !stored.has(version));
    if (stored.size === 0 || !(isList || missing.length * 2 < stored.size)) return [];
    const [, channel] = JSON.parse(key) as [string, string];
    return missing.map(
      ([, ids]) => `the value of the channel '${channel}' at the checkpoint ${ids[0]} is missing`,
    );
  });
}

function missingElements(values: Row[], elements: Row[]): string[] {
  const stored = Map.groupBy(elements, ({ channel }) => channel);
  const known = new Map([...stored].map(([channel, rows]) => [channel, new Set(rows.map(({ seq }) => seq))]));
  const missing = new Map<string, Set<number>>();
  for (const { channel, elements: ranges } of values) {
    if (typeof ranges !== 'string') continue;
    for (const [from, to] of JSON.parse(ranges) as Range[])
      for (let seq = from; seq <= to; seq++)
        if (!known.get(channel)?.has(seq))
          missing.set(String(channel), (missing.get(String(channel)) ?? new Set()).add(seq));
  }
  return [...missing].map(
    ([channel, seqs]) =>
      `${seqs.size} elements of the channel '${channel}' are missing, the first one is ${Math.min(...seqs)}`,
  );
}
