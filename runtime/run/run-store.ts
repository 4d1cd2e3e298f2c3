/** The store that the graph of a run gets: its caller's, or the one of all callers. */
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import type { Items } from '../../state/items/items.ts';
import { ItemStore } from '../../state/items/store.ts';
import type { StoreOptions } from '../options.ts';

export type StoreOf = (owner: string) => BaseStore;

/** No caller has the empty name. */
const EVERYBODY = '';

export function storesOf(items: Items, { shared }: StoreOptions): StoreOf {
  return (owner) => new ItemStore(items, shared ? EVERYBODY : owner);
}
