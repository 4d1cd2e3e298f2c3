/** Gives a compiled graph a saver and a store for one run. */
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { CompiledGraph } from '../workflow.ts';
import { unwrapStore } from './store-wrapper.ts';

export interface Persistence {
  checkpointer: BaseCheckpointSaver;
  /** Nodes access it as `config.store`. Unset if no node runs. */
  store?: BaseStore;
}

/**
 * Returns a copy of the graph, so that concurrent runs each have their own saver and store. Copying takes some microseconds. A
 * saver in `configurable` would not be passed to subgraphs when the graph's state is read.
 */
export function withPersistence(graph: CompiledGraph, { checkpointer, store }: Persistence): CompiledGraph {
  const copy = graph.withConfig({});
  copy.checkpointer = checkpointer;
  if (store) {
    copy.store = store;
    unwrapStore(copy, store);
  }
  return copy;
}
