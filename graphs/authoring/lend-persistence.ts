/** Gives a compiled graph a saver and a store for one run. */
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import { unwrapStore } from './store-wrapper.ts';
import type { CompiledGraph } from './workflow.ts';

export interface Persistence {
  checkpointer: BaseCheckpointSaver;
  /** Nodes get it as `config.store`; unset if no node runs. */
  store?: BaseStore;
}

/**
 * A copy, made in some microseconds, so that concurrent runs each have their own saver and store. A saver
 * in `configurable` would not reach subgraphs when the graph's state is read.
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
