/** Where the elements of a run's long lists lie, so that each is stored once. */
import { type NumberedList, numberElements, rangesOf } from '../../driver/checkpoints/list-elements.ts';
import type { Database } from '../database/database.ts';
import type { ElementInsert } from '../runs/writes.ts';
import { listsOf } from './read.ts';

/** What is known of a channel's elements, over all namespaces: a graph and those inside of it share lists. */
interface Known {
  /** The number that the next new element gets. */
  next: number;
  /** The version that was read or written last, and the last one of each namespace. */
  newest: NumberedList;
  byNamespace: Map<string, NumberedList>;
}

const NOTHING: NumberedList = { texts: [], seqs: [] };

// Greater than what is added to a list at a time.
const APART = 2 ** 20;

/**
 * Numbers are given per thread and channel and count up, so a list that only grows is one range. What is remembered is right
 * as long as no other run writes to the thread: a run has a saver of its own, and its lease. A change without one may meet a
 * run that begins meanwhile, on any server, and another change: its new elements get numbers at a random distance.
 */
export class ElementNumbers {
  readonly #database: Database;
  readonly #thread: string;
  readonly #distance: number;
  readonly #known = new Map<string, Promise<Known>>();
  /** What was read before anything was written. */
  readonly #read = new Map<string, Map<string, NumberedList>>();

  constructor(database: Database, thread: string, isRun: boolean) {
    this.#database = database;
    this.#thread = thread;
    this.#distance = isRun ? 0 : APART + Math.floor(Math.random() * APART);
  }

  /** Lists that a run goes on from: its first new versions are compared with them. */
  remember(ns: string, lists: Map<string, NumberedList>): void {
    for (const [channel, list] of lists) {
      const known = this.#read.get(channel) ?? new Map();
      this.#read.set(channel, known.set(ns, list));
    }
  }

  /** Which elements are to be stored, and the ranges under which the list is found then. */
  async assign(
    ns: string,
    channel: string,
    elements: string[],
  ): Promise<{ added: ElementInsert[]; ranges: string }> {
    const loading = this.#known.get(channel) ?? this.#load(ns, channel);
    this.#known.set(channel, loading);
    const known = await loading;
    // From here on without a pause: two lists must not get the same numbers.
    const { list, added } = numberElements(elements, known.byNamespace.get(ns) ?? known.newest, known.next);
    known.next += added.length;
    known.newest = list;
    known.byNamespace.set(ns, list);
    return {
      added: added.map(([seq, value]) => ({ channel, seq, value })),
      ranges: JSON.stringify(rangesOf(list.seqs)),
    };
  }

  async #load(ns: string, channel: string): Promise<Known> {
    const last = await this.#database.get<{ next: number | null }>(
      'SELECT max(seq) + 1 AS next FROM skein.checkpoint_elements WHERE thread = $1 AND channel = $2',
      ...[this.#thread, channel],
    );
    const byNamespace = this.#read.get(channel) ?? new Map<string, NumberedList>();
    const newest = [...byNamespace.values()].at(-1) ?? (await this.#stored(ns, channel));
    return { next: (last?.next ?? 0) + this.#distance, newest, byNamespace };
  }

  /** Any version will do, the nearest saves most. */
  async #stored(ns: string, channel: string): Promise<NumberedList> {
    const row = await this.#database.get<{ elements: string }>(
      `SELECT elements FROM skein.checkpoint_values
       WHERE thread = $1 AND channel = $2 AND ns IN ($3, '') AND elements IS NOT NULL
       ORDER BY ns = $3 DESC, length(version) DESC, version DESC LIMIT 1`,
      ...[this.#thread, channel, ns],
    );
    if (!row) return NOTHING;
    return (await listsOf(this.#database, this.#thread, [{ channel, ...row }])).get(channel) ?? NOTHING;
  }
}
