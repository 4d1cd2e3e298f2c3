/** Items: what graphs keep beyond one thread, by namespace and key. Every item has an owner, and nobody else sees it. */
import type { Item, SearchItem } from '@langchain/langgraph-checkpoint';
import type { ItemVectors, Nearness } from './vectors.ts';

/**
 * Rows of LangGraph's store. Labels of a namespace are not empty and have no `:`. Expired items are not there, whether
 * they were swept or not.
 */
export interface Items {
  get(owner: string, place: ItemKey, reading: ItemReading): Promise<(Item & ItemLife) | undefined>;
  /** In the order in which they were made, with `near` the nearest first. A prefix matches whole labels. */
  search(owner: string, query: ItemQuery, reading: ItemReading): Promise<(SearchItem & ItemLife)[]>;
  /** Those that hold an item, each once, in no particular order. */
  namespaces(owner: string, now: number): Promise<string[][]>;
  /** All or nothing, one after another; on disk when it resolves. Reads that are asked for later see it. */
  change(owner: string, changes: ItemChange[], now: number): Promise<void>;
}

/** What LangGraph's items lack. */
export interface ItemLife {
  /** Minutes without a read or write after which it expires; undefined: it never does. */
  ttlMinutes?: number;
  expiresAt?: Date;
}

export interface ItemKey {
  namespace: string[];
  key: string;
}

export interface ItemReading {
  /** Milliseconds since 1970. */
  now: number;
  /** Whether what is read gets its whole time to live again. */
  refresh: boolean;
}

export interface ItemQuery {
  prefix: string[];
  filter?: Record<string, unknown> | undefined;
  /** Ranks by the nearest vector of each item; items that have none to compare come last and get no score. */
  near?: Nearness | undefined;
  offset: number;
  limit: number;
}

export interface ItemChange extends ItemKey {
  /** The value as the serializer encodes it; null deletes the item. */
  text: string | null;
  /** Milliseconds after which it expires, counted from its last write or read; null: never. */
  ttl: number | null;
  /** Replace those that the item had; null: it has none. */
  vectors: ItemVectors | null;
}
