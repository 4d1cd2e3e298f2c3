/** Assigns numbers to the elements of long lists, so that each element is stored once. */
import { type NumberedList, numberElements, rangesOf } from '../../driver/checkpoints/list-elements.ts';
import type { Database } from '../database/database.ts';
import type { ElementInsert } from '../runs/writes.ts';
import { listsOf } from './read.ts';

/** The known lists of a channel in all namespaces, because a graph and its subgraphs share elements. */
interface KnownLists {
  /** The number of the next new element. */
  next: number;
  /** The version that was read or written last, in any namespace and in each namespace. */
  newest: NumberedList;
  byNamespace: Map<string, NumberedList>;
}

const NOTHING: NumberedList = { texts: [], seqs: [] };

// More than the number of elements that one write adds to a list.
const MIN_DISTANCE = 2 ** 20;

/**
 * Numbers are assigned per thread and channel in ascending order, so a list that only grows is one range. The remembered lists
 * of a run stay valid, because no other run writes to its thread: the run has its own saver, and its lease. A change without a
 * lease may be concurrent with a run or another change on any server, so its new elements get numbers at a random distance.
 */
export class ElementNumbers {
  readonly #database: Database;
  readonly #thread: string;
  readonly #distance: number;
  readonly #known = new Map<string, Promise<KnownLists>>();
  /** Lists that were read before the first write. */
  readonly #read = new Map<string, Map<string, NumberedList>>();

  constructor(database: Database, thread: string, isRun: boolean) {
    this.#database = database;
    this.#thread = thread;
    this.#distance = isRun ? 0 : MIN_DISTANCE + Math.floor(Math.random() * MIN_DISTANCE);
  }

  /** Remembers the lists from which a run continues, to compare its first new versions with them. */
  remember(ns: string, lists: Map<string, NumberedList>): void {
    for (const [channel, list] of lists) {
      const known = this.#read.get(channel) ?? new Map();
      this.#read.set(channel, known.set(ns, list));
    }
  }

  /** The new elements to store, and the ranges of the whole list. */
  async assign(
    ns: string,
    channel: string,
    elements: string[],
  ): Promise<{ added: ElementInsert[]; ranges: string }> {
    const loading = this.#known.get(channel) ?? this.#load(ns, channel);
    this.#known.set(channel, loading);
    const known = await loading;
    // No `await` from here on, so that two lists don't get the same numbers.
    const { list, added } = numberElements(elements, known.byNamespace.get(ns) ?? known.newest, known.next);
    known.next += added.length;
    known.newest = list;
    known.byNamespace.set(ns, list);
    return {
      added: added.map(([seq, value]) => ({ channel, seq, value })),
      ranges: JSON.stringify(rangesOf(list.seqs)),
    };
  }

  async #load(ns: string, channel: string): Promise<KnownLists> {
    const last = await this.#database.get<{ next: number | null }>(
      'SELECT max(seq) + 1 AS next FROM skein.checkpoint_elements WHERE thread = $1 AND channel = $2',
      ...[this.#thread, channel],
    );
    const byNamespace = this.#read.get(channel) ?? new Map<string, NumberedList>();
    const newest = [...byNamespace.values()].at(-1) ?? (await this.#stored(ns, channel));
    return { next: (last?.next ?? 0) + this.#distance, newest, byNamespace };
  }

  /** A stored version to compare with. Any version works; the most similar one saves the most space. */
  async #stored(ns: string, channel: string): Promise<NumberedList> {
    const row = await this.#database.get<{ elements: string }>(
      `SELECT elements FROM skein.checkpoint_values
       WHERE thread = $1 AND channel = $2 AND ns IN ($3, '') AND elements IS NOT NULL
       ORDER BY ns = $3 DESC, length(version) DESC, version DESC LIMIT 1`,
      ...[this.#thread, channel, ns],
    );
    const lists = row && (await listsOf(this.#database, this.#thread, [{ channel, ...row }]));
    return lists?.get(channel) ?? NOTHING;
  }
}
