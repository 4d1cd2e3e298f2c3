/** The values of channels on SQLite: one row per channel and version, and the elements of long lists once. */
import type { Database } from 'bun:sqlite';
import type { ChannelVersions } from '@langchain/langgraph-checkpoint';
import {
  type EncodedValue,
  filled,
  gapsBetween,
  type PlacedList,
  placeList,
  type Range,
  rangesOf,
} from './list-elements.ts';

export interface ChannelValue extends EncodedValue {
  channel: string;
  version: number | string;
}

/** `thread` is the thread's key. */
export interface ChannelValues {
  /** Gives what writes the value inside a transaction, again where that was rolled back. */
  writing(thread: string, ns: string, value: ChannelValue): () => void;
  /** The channels and texts of the values at `versions`; a channel that was empty has none. */
  read(thread: string, ns: string, versions: ChannelVersions): [channel: string, text: string][];
  /** The same for a run that goes on from these values: its first new versions are compared with them. */
  readForRun(thread: string, ns: string, versions: ChannelVersions): [channel: string, text: string][];
  /** Deletes what no checkpoint of the thread and no step names any more, inside a transaction. */
  prune(thread: string): void;
  /** Forgets what was kept in memory of a thread's lists. */
  release(thread: string): void;
}

interface ValueRow {
  value: string;
  elements: string | null;
}

/** What is known of a channel's elements, over all namespaces: a graph and those inside of it share lists. */
interface Known {
  /** The number that the next new element gets; undefined until one is written. */
  next: number | undefined;
  /** The version that was written last, and the last one of each namespace. */
  newest: PlacedList;
  byNamespace: Map<string, PlacedList>;
}

const NOTHING: PlacedList = { texts: [], seqs: [] };

/**
 * A version of a long list is a row with ranges of element numbers. Numbers are given per thread and channel and count
 * up, so a list that only grows is one range. The lists that a run has read and written stay in memory until it ends.
 */
export function channelValues(db: Database): ChannelValues {
  const known = new Map<string, Map<string, Known>>();
  const insert = db.query('INSERT OR REPLACE INTO checkpoint_values VALUES (?, ?, ?, ?, ?, ?)');
  const insertElement = db.query('INSERT OR REPLACE INTO checkpoint_elements VALUES (?, ?, ?, ?)');
  const one = db.query<ValueRow, [string, string, string, number | string]>(
    'SELECT value, elements FROM checkpoint_values WHERE thread = ? AND ns = ? AND channel = ? AND version = ?',
  );
  const newest = db.query<{ elements: string }, [string, string, string]>(
    `SELECT elements FROM checkpoint_values WHERE thread = ? AND ns = ? AND channel = ? AND elements IS NOT NULL
     ORDER BY version DESC LIMIT 1`,
  );
  const last = db.query<{ seq: number }, [string, string]>(
    'SELECT seq FROM checkpoint_elements WHERE thread = ? AND channel = ? ORDER BY seq DESC LIMIT 1',
  );
  const inRange = db.query<{ seq: number; value: string }, [string, string, number, number]>(
    'SELECT seq, value FROM checkpoint_elements WHERE thread = ? AND channel = ? AND seq BETWEEN ? AND ? ORDER BY seq',
  );
  const prune = db.query(
    `DELETE FROM checkpoint_values WHERE thread = ?1 AND (ns, channel, version) NOT IN (
       SELECT c.ns, named.key, named.value FROM checkpoints AS c, json_each(c.versions) AS named WHERE c.thread = ?1
       UNION ALL
       SELECT d.ns, named.key, named.value FROM checkpoint_deltas AS d, json_each(d.versions) AS named
       WHERE d.thread = ?1)`,
  );
  const split = db.query<{ channel: string }, [string]>(
    'SELECT DISTINCT channel FROM checkpoint_elements WHERE thread = ?',
  );
  const ranges = db.query<{ channel: string; elements: string }, [string]>(
    'SELECT channel, elements FROM checkpoint_values WHERE thread = ? AND elements IS NOT NULL',
  );
  const removeRange = db.query(
    'DELETE FROM checkpoint_elements WHERE thread = ? AND channel = ? AND seq BETWEEN ? AND ?',
  );
  const begin = db.query('BEGIN');
  const end = db.query('COMMIT');

  // A statement per channel in one transaction takes 8 microseconds where a join with `json_each` takes 130.
  function readTogether(thread: string, ns: string, versions: ChannelVersions, remembers: boolean) {
    if (db.inTransaction) return readAll(thread, ns, versions, remembers);
    begin.run();
    try {
      return readAll(thread, ns, versions, remembers);
    } finally {
      end.run();
    }
  }

  function readAll(thread: string, ns: string, versions: ChannelVersions, remembers: boolean) {
    return Object.entries(versions).flatMap(([channel, version]): [string, string][] => {
      const row = one.get(thread, ns, channel, version);
      if (!row) return [];
      if (row.elements === null) return [[channel, row.value]];
      const list = listIn(thread, channel, row.elements);
      if (remembers) remember(thread, ns, channel, list);
      return [[channel, filled(row.value, list.texts)]];
    });
  }

  function listIn(thread: string, channel: string, elements: string): PlacedList {
    const list: PlacedList = { texts: [], seqs: [] };
    for (const [from, to] of JSON.parse(elements) as Range[]) {
      const rows = inRange.values(thread, channel, from, to) as [number, string][];
      if (rows.length <= to - from)
        throw new Error(`elements of the channel '${channel}' are missing: ${from} to ${to}`);
      for (const [seq, text] of rows) {
        list.seqs.push(seq);
        list.texts.push(text);
      }
    }
    return list;
  }

  function remember(thread: string, ns: string, channel: string, list: PlacedList): Known {
    const channels = known.get(thread) ?? new Map<string, Known>();
    const one = channels.get(channel) ?? { next: undefined, newest: list, byNamespace: new Map() };
    one.newest = list;
    one.byNamespace.set(ns, list);
    known.set(thread, channels.set(channel, one));
    return one;
  }

  /** What a new version is compared with: any will do, the nearest saves most. */
  function before(thread: string, ns: string, channel: string): PlacedList {
    const one = known.get(thread)?.get(channel);
    if (one) return one.byNamespace.get(ns) ?? one.newest;
    const stored = newest.get(thread, ns, channel) ?? newest.get(thread, '', channel);
    return stored ? listIn(thread, channel, stored.elements) : NOTHING;
  }

  /** Which elements are to be stored, and the ranges under which the list is found then. */
  function place(thread: string, ns: string, channel: string, elements: string[]) {
    const first = known.get(thread)?.get(channel)?.next ?? (last.get(thread, channel)?.seq ?? -1) + 1;
    const list = placeList(elements, before(thread, ns, channel), first);
    const added = list.seqs.flatMap((seq, index): [number, string][] =>
      seq < first ? [] : [[seq, list.texts[index] as string]],
    );
    remember(thread, ns, channel, list).next = first + added.length;
    return { added, ranges: JSON.stringify(rangesOf(list.seqs)) };
  }

  return {
    writing(thread, ns, { channel, version, text, elements }) {
      let placed: ReturnType<typeof place> | undefined;
      return () => {
        if (elements) placed ??= place(thread, ns, channel, elements);
        for (const [seq, element] of placed?.added ?? []) insertElement.run(thread, channel, seq, element);
        insert.run(thread, ns, channel, version, text, placed?.ranges ?? null);
      };
    },
    read: (thread, ns, versions) => readTogether(thread, ns, versions, false),
    readForRun: (thread, ns, versions) => readTogether(thread, ns, versions, true),
    prune(thread) {
      known.delete(thread);
      prune.run(thread);
      const channels = split.all(thread);
      if (channels.length === 0) return;
      const kept = Map.groupBy(ranges.all(thread), ({ channel }) => channel);
      for (const { channel } of channels) {
        const union = (kept.get(channel) ?? []).flatMap(({ elements }) => JSON.parse(elements) as Range[]);
        for (const [from, to] of gapsBetween(union, last.get(thread, channel)?.seq ?? -1))
          removeRange.run(thread, channel, from, to);
      }
    },
    release: (thread) => void known.delete(thread),
  };
}
