/** Classifies a graph file's export: a workflow definition, or a LangGraph graph in any of its usual forms. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { makingGraph } from '../authoring/making-graph.ts';
import type { CompiledGraph, Workflow } from '../authoring/workflow.ts';

/** A graph that was not written for this service. */
export interface AdoptedGraph {
  /** Whether a function creates a new graph for each config. */
  isMade: boolean;
  /** Returns the graph for a config. A factory is called with the config; any other graph is always the same. */
  graphFor(config: RunnableConfig): Promise<CompiledGraph>;
}

export type Exported =
  | { kind: 'workflow'; definition: Workflow }
  | { kind: 'graph'; adopted: AdoptedGraph }
  | { kind: 'neither'; reason: string };

/** `value` may be a promise. Rejects if the promise does. */
export async function exportedOf(value: unknown, name: string): Promise<Exported> {
  const given = await value;
  if (typeof given === 'function' && !isGraph(given)) {
    const graphFor = async (config: RunnableConfig) => made(await makingGraph(() => given(config)), name);
    return { kind: 'graph', adopted: { isMade: true, graphFor } };
  }
  const graph = graphOf(given, name);
  if (graph) return { kind: 'graph', adopted: { isMade: false, graphFor: async () => graph } };
  const missing = PARTS.filter((part) => !(given as Partial<Workflow> | undefined)?.[part]);
  if (missing.length === 0) return { kind: 'workflow', definition: given as Workflow };
  if (missing.length < PARTS.length)
    return { kind: 'neither', reason: `the export lacks ${missing.join(', ')}` };
  return { kind: 'neither', reason: `expected a LangGraph graph or workflow({...}), got ${kindOf(given)}` };
}

const PARTS = ['description', 'agents', 'example', 'build'] as const;

/** Checks a factory's return value. */
function made(given: unknown, name: string): CompiledGraph {
  const graph = graphOf(given, name);
  if (!graph) throw new Error(`the exported function must return a LangGraph graph, got ${kindOf(given)}`);
  return graph;
}

/**
 * Recognizes graphs by their methods instead of their class, because a project may have another copy of LangGraph. Throws the
 * errors of `compile`.
 */
function graphOf(given: unknown, name: string): CompiledGraph | undefined {
  if (isGraph(given)) return given;
  // `createAgent` of the package `langchain` wraps its graph.
  const wrapped = (given as { graph?: unknown } | null | undefined)?.graph;
  if (isGraph(wrapped)) return wrapped;
  return isBuilder(given) ? given.compile({ name }) : undefined;
}

function isGraph(given: unknown): given is CompiledGraph {
  if (!isObject(given)) return false;
  const { nodes, channels, invoke, withConfig } = given as Partial<CompiledGraph>;
  const runs = typeof invoke === 'function' && typeof withConfig === 'function';
  return runs && isObject(nodes) && isObject(channels);
}

/** A `StateGraph` that isn't compiled. */
function isBuilder(given: unknown): given is { compile(options: { name: string }): CompiledGraph } {
  if (!isObject(given)) return false;
  const { compile, addNode } = given as { compile?: unknown; addNode?: unknown };
  return typeof compile === 'function' && typeof addNode === 'function';
}

function isObject(given: unknown): given is object {
  return (typeof given === 'object' && given !== null) || typeof given === 'function';
}

function kindOf(given: unknown): string {
  if (given === undefined) return 'nothing';
  if (given === null || Array.isArray(given)) return given === null ? 'null' : 'a list';
  return typeof given === 'object' ? 'an object of another kind' : `a ${typeof given}`;
}
