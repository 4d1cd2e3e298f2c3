/** The store of a run's graph: the caller's own, or one that all callers share. */
import type { Items } from '../../../state/items/items.ts';
import { ItemStore } from '../../../state/items/store.ts';
import type { StoreIndex, StoreOptions } from '../../store-options.ts';
import { itemIndex } from './store-index.ts';

/** `index`: the index of the store that the graph was compiled with, used in place of the configured one. */
export type StoreOf = (owner: string, index?: StoreIndex) => ItemStore;

/** The owner of the shared store: no caller has an empty name. */
const EVERYBODY = '';

/** Without an index, queries don't rank items. */
export function storesOf(items: Items, { shared, ttl }: StoreOptions, index?: StoreIndex): StoreOf {
  const configured = index && itemIndex(index);
  const times = { minutes: ttl.default_ttl, refreshOnRead: ttl.refresh_on_read };
  return (owner, own) => {
    const options = { index: own ? itemIndex(own) : configured, ttl: times };
    return new ItemStore(items, shared ? EVERYBODY : owner, options);
  };
}
