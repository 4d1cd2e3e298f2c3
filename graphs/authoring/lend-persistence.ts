/** A compiled graph with a saver lent to it, and with a store. */
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import { unwrapStore } from './store-wrapper.ts';
import type { CompiledGraph } from './workflow.ts';

export interface Persistence {
  checkpointer: BaseCheckpointSaver;
  /** What nodes find as `config.store`; none where no node runs. */
  store?: BaseStore;
}

/**
 * A copy, made in some microseconds, so that runs side by side each have a saver and a store of their own. Given
 * through `configurable`, a saver would miss the subgraphs where the graph's state is asked for.
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
