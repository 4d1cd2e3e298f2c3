/** The store that a run's graph gets: its caller's, or the one that all callers share. */
import type { Items } from '../../../state/items/items.ts';
import { ItemStore } from '../../../state/items/store.ts';
import type { StoreIndex, StoreOptions } from '../../store-options.ts';
import { itemIndex } from './store-index.ts';

/** `index`: from the store that the graph was compiled with; replaces the configured one. */
export type StoreOf = (owner: string, index?: StoreIndex) => ItemStore;

/** No caller has the empty name. */
const EVERYBODY = '';

/** Without an index, a query doesn't rank. */
export function storesOf(items: Items, { shared, ttl }: StoreOptions, index?: StoreIndex): StoreOf {
  const configured = index && itemIndex(index);
  const times = { minutes: ttl.default_ttl, refreshOnRead: ttl.refresh_on_read };
  return (owner, own) => {
    const options = { index: own ? itemIndex(own) : configured, ttl: times };
    return new ItemStore(items, shared ? EVERYBODY : owner, options);
  };
}
