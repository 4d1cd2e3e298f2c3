/** Returns the graph of an assistant. A graph factory is called with the assistant's config and context. */
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import { inTime, notMade } from '../../graphs/discovery/in-time.ts';
import { ownConfigurable } from '../intake/graph-request.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';

export interface AssistantConfig {
  config: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** Throws the errors of the factory, and an error if it doesn't return in time. */
export async function assistantGraph(
  { adopted, graph }: RunnableWorkflow,
  { config, context }: AssistantConfig,
): Promise<CompiledGraph> {
  if (!adopted) return graph;
  const configurable = ownConfigurable(config.configurable as Record<string, unknown> | undefined) ?? {};
  const given = { configurable, context };
  return inTime(adopted.graphFor(given), notMade);
}
