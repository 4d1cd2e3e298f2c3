/** A compiled graph with a saver lent to it. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { CompiledGraph } from './workflow.ts';

/**
 * A copy, made in some microseconds, so that runs side by side each have a saver of their own. Given through
 * `configurable`, it would miss the subgraphs where the graph's state is asked for.
 */
export function withSaver(graph: CompiledGraph, saver: BaseCheckpointSaver): CompiledGraph {
  const copy = graph.withConfig({});
  copy.checkpointer = saver;
  return copy;
}
