/** Items: data that graphs keep across threads, by namespace and key. An item is only visible to its owner. */
import type { Item, SearchItem } from '@langchain/langgraph-checkpoint';
import type { ItemVectors, QueryVector } from './vectors.ts';

/**
 * The rows of LangGraph's store. Labels of a namespace are not empty and contain no `:`. Expired items are invisible even
 * before they are deleted.
 */
export interface Items {
  get(owner: string, item: ItemKey, reading: ItemReading): Promise<(Item & ItemLife) | undefined>;
  /** In order of creation; with `near`, the nearest first. A prefix matches whole labels. */
  search(owner: string, query: ItemQuery, reading: ItemReading): Promise<(SearchItem & ItemLife)[]>;
  /** The namespaces that contain items, without duplicates, in no particular order. */
  namespaces(owner: string, now: number): Promise<string[][]>;
  /** Applies the changes in order, in one transaction. They are on disk when it resolves. Reads that start later see them. */
  change(owner: string, changes: ItemChange[], now: number): Promise<void>;
}

/** The time to live, which LangGraph's items lack. */
export interface ItemLife {
  /** Minutes without a read or write after which the item expires; undefined: never. */
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
  /** Whether the read restarts the time to live of its items. */
  refresh: boolean;
}

export interface ItemQuery {
  prefix: string[];
  filter?: Record<string, unknown> | undefined;
  /** Ranks by the nearest vector of each item. Items without a comparable vector come last and get no score. */
  near?: QueryVector | undefined;
  offset: number;
  limit: number;
}

export interface ItemChange extends ItemKey {
  /** The encoded value; null deletes the item. */
  text: string | null;
  /** Milliseconds from the last write or read after which the item expires; null: never. */
  ttl: number | null;
  /** Replace the item's vectors; null removes them. */
  vectors: ItemVectors | null;
}
