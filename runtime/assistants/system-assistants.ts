/** The default assistants: one for each graph, with an id that is derived from the graph's name. */
import type { GraphConfigs } from '../../graphs/discovery/graph-configs.ts';
import type { StoredAssistant } from '../../state/resources/assistants.ts';
import { nearest } from '../../state/schema/nearest.ts';
import type { Registry } from '../workflows/registry.ts';

// The UUID namespace from which LangGraph's servers derive the assistant id of a graph.
const NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

export function assistantId(graph: string): string {
  return Bun.randomUUIDv5(graph, NAMESPACE);
}

export interface SystemParts {
  registry: Pick<Registry, 'workflows'>;
  /** Configs and contexts by graph. */
  configs: GraphConfigs;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** The default assistants of the graphs that can run, in the registry's order. */
export function systemAssistants({ registry, configs, startedAt }: SystemParts): StoredAssistant[] {
  return registry.workflows
    .filter(({ graph }) => graph)
    .map(({ name, description }) => {
      const { context = {}, ...config } = configs[name] ?? {};
      return {
        ...{ assistantId: assistantId(name), graph: name, name, description: description || null },
        ...{ config, context, metadata: { created_by: 'system' } },
        ...{ version: 1, createdAt: startedAt, updatedAt: startedAt },
      };
    });
}

/** A sentence for each config whose name matches no graph. */
export function configNotes({ registry, configs }: Pick<SystemParts, 'registry' | 'configs'>): string[] {
  const names = registry.workflows.map(({ name }) => name);
  return Object.keys(configs)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const close = nearest(name, names);
      const hint = close ? `, did you mean '${close}'?` : ' and has no effect';
      return `LANGGRAPH_CONFIG: '${name}' is not a graph${hint}`;
    });
}
