/** Registers a LangGraph graph that was not written for Skein. Its description is read from the graph. */
import { join } from 'node:path';
import { textInputOf } from '../../graphs/adoption/graph-input.ts';
import { describedInput } from '../../graphs/adoption/schemas/described-input.ts';
import { contextSchema } from '../../graphs/adoption/schemas/graph-schemas.ts';
import type { AgentDescription, CompiledGraph } from '../../graphs/authoring/workflow.ts';
import { WorkflowSettings } from '../../graphs/authoring/workflow-settings.ts';
import type { Discovered } from '../../graphs/discovery/discover.ts';
import type { AdoptedGraph } from '../../graphs/discovery/exported.ts';
import { inTime, notMade } from '../../graphs/discovery/in-time.ts';
import { problemOf } from '../../graphs/discovery/problem.ts';
import { checkOptions } from '../../state/schema/check-options.ts';
import type { Embeddings, StoreIndex } from '../store-options.ts';
import { broken, DEFAULT_PROMPT_LENGTH, type RegisteredWorkflow } from './registered.ts';
import { workflowName } from './workflow-name.ts';
import type { WorkflowParts } from './workflow-tools.ts';

/** Throws CONFIGURATION_ERROR for invalid settings. A graph that can't be loaded is registered with its `problem`. */
export async function registerAdopted(
  one: Discovered & { adopted: AdoptedGraph },
  parts: Pick<WorkflowParts, 'settings'>,
): Promise<RegisteredWorkflow> {
  const { name, source, adopted, about } = one;
  const settings = checkOptions(
    WorkflowSettings,
    parts.settings[workflowName(name)] ?? {},
    `workflows.${name}`,
  );
  try {
    const graph = await inTime(adopted.graphFor({ configurable: {} }), notMade);
    return {
      name,
      source,
      category: about.category ?? source,
      description: about.description ?? name,
      agents: about.agents ?? agentsOf(graph),
      externalServices: [],
      maxPromptLength: DEFAULT_PROMPT_LENGTH,
      read: () => ({}),
      changesOutside: true,
      example: about.example ?? 'Hello',
      settings,
      promptFiles: [],
      graph,
      adopted: {
        isMade: adopted.isMade,
        graphFor: adopted.graphFor,
        source: { file: join(one.sourceFile.root, one.sourceFile.file), export: one.export },
        textInput: await textInputOf(graph),
        storeIndex: storeIndexOf(graph.store),
        inputSchema: await describedInput(graph),
        contextSchema: contextSchema(graph),
      },
      notes: notesOf(name, graph),
      problem: undefined,
      missing: [],
      refusal: undefined,
      missingOnDisk: async () => [],
    };
  } catch (error) {
    return broken(one, problemOf(one.sourceFile, error));
  }
}

/** The nodes, except those that only start, end or call tools. */
function agentsOf({ nodes }: CompiledGraph): AgentDescription[] {
  return Object.entries(nodes)
    .filter(([name, node]) => !name.startsWith('__') && !isToolNode(node))
    .map(([name]) => ({ name, description: '' }));
}

function isToolNode(node: unknown): boolean {
  const { bound } = node as { bound?: { tools?: unknown } };
  return Array.isArray(bound?.tools);
}

/** The index in the form of LangGraph's own stores. */
function storeIndexOf(store: unknown): StoreIndex | undefined {
  const { indexConfig } = (store ?? {}) as {
    indexConfig?: { dims?: number; embeddings?: Embeddings; fields?: string[] };
  };
  if (!indexConfig?.embeddings) return undefined;
  return { dims: indexConfig.dims, embed: indexConfig.embeddings, fields: indexConfig.fields };
}

/** Notes that the graph's own checkpointer and store are not used. */
function notesOf(name: string, { checkpointer, store }: CompiledGraph): string[] {
  const own = [...(typeof checkpointer === 'object' ? ['checkpointer'] : []), ...(store ? ['store'] : [])];
  if (own.length === 0) return [];
  return [`The graph '${name}' uses the service's ${own.join(' and ')} instead of its own`];
}
