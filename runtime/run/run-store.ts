/** The store that the graph of a run gets: its caller's, or the one of all callers. */
import type { Items } from '../../state/items/items.ts';
import { ItemStore } from '../../state/items/store.ts';
import type { StoreIndex, StoreOptions } from '../store-options.ts';
import { itemIndex } from './store-index.ts';

/** `index`: of the store that the graph was compiled with, in place of the configured one. */
export type StoreOf = (owner: string, index?: StoreIndex) => ItemStore;

/** No caller has the empty name. */
const EVERYBODY = '';

/** Without an index a query does not rank. */
export function storesOf(items: Items, { shared, ttl }: StoreOptions, index?: StoreIndex): StoreOf {
  const configured = index && itemIndex(index);
  const times = { minutes: ttl.default_ttl, refreshOnRead: ttl.refresh_on_read };
  return (owner, own) => {
    const options = { index: own ? itemIndex(own) : configured, ttl: times };
    return new ItemStore(items, shared ? EVERYBODY : owner, options);
  };
}
