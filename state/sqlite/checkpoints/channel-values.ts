/** The values of channels on SQLite: one row per channel and version. Elements of long lists are stored once. */
import type { ChannelVersions } from '@langchain/langgraph-checkpoint';
import {
  type EncodedValue,
  encodeValue,
  filled,
  gapsBetween,
  type NumberedList,
  numberElements,
  type Range,
  rangesOf,
} from '../../driver/checkpoints/list-elements.ts';
import { storable } from '../../driver/checkpoints/storable.ts';
import type { valueStatements } from './value-statements.ts';

interface ChannelValue extends EncodedValue {
  channel: string;
  version: number | string;
}

/** `thread` is the thread's key. */
export interface ChannelValues {
  /**
   * Encodes the values at `versions`, and returns a function that writes them inside a transaction. It can be called again after
   * a rollback. Empty channels are left out. Throws INTERNAL_ERROR for a value that cannot be stored.
   */
  writing(thread: string, ns: string, values: Record<string, unknown>, versions: ChannelVersions): () => void;
  /** The texts of the values at `versions`. Empty channels are left out. */
  read(thread: string, ns: string, versions: ChannelVersions): [channel: string, text: string][];
  /** Like `read`, and remembers long lists, so that the run's next versions of them can be compared. */
  readForRun(thread: string, ns: string, versions: ChannelVersions): [channel: string, text: string][];
  /**
   * Deletes values to which no checkpoint or step of the thread refers, at most `limit` rows. Returns whether there may be more.
   * Must be called inside a transaction.
   */
  prune(thread: string, limit?: number): boolean;
  /** Frees the memory for the lists of a thread. */
  release(thread: string): void;
}

/** The known lists of a channel in all namespaces, because a graph and its subgraphs share elements. */
interface KnownLists {
  /** The version that was read or written last, in any namespace and in each namespace. */
  newest: NumberedList;
  byNamespace: Map<string, NumberedList>;
}

const NOTHING: NumberedList = { texts: [], seqs: [] };

/**
 * A version of a long list is a row with ranges of element numbers. Numbers are assigned per thread and channel in ascending
 * order, so a list that only grows is one range. The remembered lists of a run stay valid, because no other process writes to
 * its thread: the run has its own saver, and its lease.
 */
export function channelValues(sql: ReturnType<typeof valueStatements>): ChannelValues {
  const known = new Map<string, Map<string, KnownLists>>();
  // In a transaction, one statement per channel takes 8 µs in total; a join with `json_each` takes 130 µs.
  function readTogether(thread: string, ns: string, versions: ChannelVersions, remembers: boolean) {
    if (sql.inTransaction()) return readAll(thread, ns, versions, remembers);
    sql.begin.run();
    try {
      return readAll(thread, ns, versions, remembers);
    } finally {
      sql.end.run();
    }
  }

  function readAll(thread: string, ns: string, versions: ChannelVersions, remembers: boolean) {
    return Object.entries(versions).flatMap(([channel, version]): [string, string][] => {
      const row = sql.one.get(thread, ns, channel, version);
      if (!row) return [];
      if (row.elements === null) return [[channel, row.value]];
      const list = listIn(thread, channel, row.elements);
      if (remembers) remember(thread, ns, channel, list);
      return [[channel, filled(row.value, list.texts)]];
    });
  }

  function listIn(thread: string, channel: string, elements: string): NumberedList {
    const list: NumberedList = { texts: [], seqs: [] };
    for (const [from, to] of JSON.parse(elements) as Range[]) {
      const rows = sql.inRange.values(thread, channel, from, to) as [number, string][];
      if (rows.length <= to - from)
        throw new Error(`Some of the elements ${from} to ${to} of the channel '${channel}' are missing`);
      for (const [seq, text] of rows) {
        list.seqs.push(seq);
        list.texts.push(text);
      }
    }
    return list;
  }

  function remember(thread: string, ns: string, channel: string, list: NumberedList): void {
    const channels = known.get(thread) ?? new Map<string, KnownLists>();
    const one = channels.get(channel) ?? { newest: list, byNamespace: new Map() };
    one.newest = list;
    one.byNamespace.set(ns, list);
    known.set(thread, channels.set(channel, one));
  }

  /** The list to compare a new version with. Any version works; the most similar one saves the most space. */
  function before(thread: string, ns: string, channel: string): NumberedList {
    const one = known.get(thread)?.get(channel);
    if (one) return one.byNamespace.get(ns) ?? one.newest;
    const stored = sql.newest.get(thread, ns, channel) ?? sql.newest.get(thread, '', channel);
    return stored ? listIn(thread, channel, stored.elements) : NOTHING;
  }

  /** The new elements to store, and the ranges of the whole list. */
  function assign(thread: string, ns: string, channel: string, elements: string[]) {
    // Read every time, because a change of the state and a run may write to a thread at the same time.
    const first = (sql.last.get(thread, channel)?.seq ?? -1) + 1;
    const { list, added } = numberElements(elements, before(thread, ns, channel), first);
    remember(thread, ns, channel, list);
    return { added, ranges: JSON.stringify(rangesOf(list.seqs)) };
  }

  function writingOne(thread: string, ns: string, { channel, version, text, elements }: ChannelValue) {
    let placed: ReturnType<typeof assign> | undefined;
    return () => {
      if (elements) placed ??= assign(thread, ns, channel, elements);
      for (const [seq, element] of placed?.added ?? []) sql.insertElement.run(thread, channel, seq, element);
      sql.insert.run(thread, ns, channel, version, text, placed?.ranges ?? null);
    };
  }

  return {
    writing(thread, ns, values, versions) {
      const writes = Object.entries(versions)
        .filter(([channel]) => Object.hasOwn(values, channel))
        .map(([channel, version]) => {
          const encoded = storable(channel, values[channel], (value) => encodeValue(channel, value));
          return writingOne(thread, ns, { channel, version, ...encoded });
        });
      return () => {
        for (const write of writes) write();
      };
    },
    read: (thread, ns, versions) => readTogether(thread, ns, versions, false),
    readForRun: (thread, ns, versions) => readTogether(thread, ns, versions, true),
    prune(thread, limit = Number.MAX_SAFE_INTEGER) {
      known.delete(thread);
      let remaining = limit - sql.prune.run(thread, limit).changes;
      const channels = remaining > 0 ? sql.split.all(thread) : [];
      const rangesByChannel = Map.groupBy(sql.ranges.all(thread), ({ channel }) => channel);
      for (const { channel } of channels) {
        const union = (rangesByChannel.get(channel) ?? []).flatMap(
          ({ elements }) => JSON.parse(elements) as Range[],
        );
        for (const [from, to] of gapsBetween(union, sql.last.get(thread, channel)?.seq ?? -1)) {
          remaining -= sql.removeRange.run(thread, channel, from, to, remaining).changes;
          if (remaining === 0) return true;
        }
      }
      return remaining === 0;
    },
    release: (thread) => void known.delete(thread),
  };
}
