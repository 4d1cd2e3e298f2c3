/** The store that the graph of a run gets: its caller's, or the one of all callers. */
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import type { Items } from '../../state/items/items.ts';
import { ItemStore } from '../../state/items/store.ts';
import type { StoreOptions } from '../store-options.ts';
import { itemIndex, type StoreIndex } from './store-index.ts';

export type StoreOf = (owner: string) => BaseStore;

/** No caller has the empty name. */
const EVERYBODY = '';

/** Without an index a query does not rank. */
export function storesOf(items: Items, { shared, ttl }: StoreOptions, index?: StoreIndex): StoreOf {
  const options = {
    index: index && itemIndex(index),
    ttl: { minutes: ttl.default_ttl, refreshOnRead: ttl.refresh_on_read },
  };
  return (owner) => new ItemStore(items, shared ? EVERYBODY : owner, options);
}
