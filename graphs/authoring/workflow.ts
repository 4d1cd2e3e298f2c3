/** A workflow's definition, the argument of `build`, and what the runtime needs of the resulting graph. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { Static, TObject } from '@sinclair/typebox';
import type { OpenLibrary } from '../../tools/knowledge/library.ts';
import type { OpenSql } from '../../tools/sql/open.ts';
import type { AgentNode } from './agent.ts';
import type { AgentGraph } from './agent-graph.ts';
import type { CoreWorkflow } from './core-workflow.ts';
import type { RunTables } from './run-tables.ts';
import './schema-registries.ts';

export interface AgentDescription {
  name: string;
  description: string;
}

/** The argument of `build`: the workflow's options, and functions that create agents. */
export interface WorkflowTools<Options> {
  options: Options;
  /** Creates an agent from a function; its name is the node's and the prompt file's. */
  agent: AgentNode;
  /** Creates an agent of several steps, each with a checkpoint. */
  agentGraph: AgentGraph;
  /** A workflow of the core as a node of this one. */
  coreWorkflow: CoreWorkflow;
  /** Opens the configured SQL database at first use. */
  openSql: OpenSql;
  /** Opens an in-memory database of tables that a run brings, with the same guard; it ends with the run. */
  openTables: RunTables;
  /** Opens the configured knowledge base at first use. */
  openLibrary: OpenLibrary;
}

export interface Workflow<Schema extends TObject = TObject> {
  /** One sentence about its purpose. */
  description: string;
  /** The workflow's own settings under `workflows.<name>`, with defaults. */
  options?: Schema;
  /** The agents, in their usual order. */
  agents(options: Static<Schema>): AgentDescription[];
  /** External resources besides the language model: `sql` and `library` report the configured database and knowledge base. */
  externalServices?(services: { sql: string; library: string }): string[];
  /** The maximum length of a prompt, in characters; default 100,000. */
  maxPromptLength?: number;
  /**
   * Validates a prompt before its turn is accepted, and returns what the run uses of it; throws INVALID_WORKFLOW_INPUT. It
   * is called again when the run starts, because only the prompt is stored.
   */
  read?(prompt: string): Reading;
  /** True if its agents have side effects outside of the conversation: then it is not run to try out a prompt file. */
  changesOutside?: boolean;
  /** A prompt that works, for documentation and trials. */
  example: string;
  build(tools: WorkflowTools<Static<Schema>>): Graph;
}

/** The parsed form of a prompt that is more than a question, such as a document. */
export interface Reading {
  /** The `input` of the run's agents, in memory only; default: the prompt. */
  input?: unknown;
  /** The question for models and the thread; default: the prompt. Some hundred words at most. */
  question?: string;
  /** The prompt revision of this run; missing files, or all if it doesn't exist, come from the configured one. */
  promptRevision?: string | undefined;
}

/** A `StateGraph` before it is compiled. */
export interface Graph {
  compile(options: { name?: string }): CompiledGraph;
}

/** What the runtime needs of a compiled graph. */
export interface CompiledGraph {
  /** Set for each run: see `withPersistence`. */
  checkpointer?: BaseCheckpointSaver | boolean;
  store?: BaseStore;
  withConfig(config: RunnableConfig): CompiledGraph;
  invoke(input: unknown, config: RunnableConfig): Promise<unknown>;
  /** Writes a checkpoint after passing `values` through the reducers, as if the node had returned them. */
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
  /** The same for several nodes of a step, and for several steps. */
  bulkUpdateState(
    config: RunnableConfig,
    steps: { updates: { values: unknown; asNode?: string }[] }[],
  ): Promise<RunnableConfig>;
  getGraphAsync(config: RunnableConfig): Promise<DrawableGraph>;
  /** Its subgraphs, by the node that runs them. */
  getSubgraphsAsync(
    namespace?: string,
    recurse?: boolean,
  ): AsyncIterable<[string, Pick<CompiledGraph, 'getGraphAsync' | 'getSubgraphsAsync'>]>;
  /** The state at a checkpoint, and the next tasks. */
  getState(config: RunnableConfig, options?: { subgraphs: boolean }): Promise<GraphState>;
  getStateHistory(
    config: RunnableConfig,
    options?: { limit?: number; before?: RunnableConfig; filter?: Record<string, unknown> },
  ): AsyncIterable<GraphState>;
  /** The nodes before and after which it stops. */
  readonly interruptBefore?: string[] | '*';
  readonly interruptAfter?: string[] | '*';
  /** Its compile-time or configured options. */
  readonly config?: { recursionLimit?: number };
  /** The output channels; one name if the output is that channel's value. */
  readonly outputChannels?: string | string[];
  readonly nodes: Record<string, unknown>;
  readonly channels: Record<string, unknown>;
  /** What it was compiled from: the conditional edges, by their node. */
  readonly builder?: { branches?: Record<string, object> };
}

export interface GraphState {
  values: unknown;
  next: string[];
  tasks: GraphTask[];
  /** Undefined without a checkpoint. */
  metadata?: Record<string, unknown>;
  createdAt?: string;
  config: RunnableConfig;
  parentConfig?: RunnableConfig;
}

/** Tasks that run next, have failed, or wait for a person. */
interface GraphTask {
  id: string;
  name: string;
  path?: unknown;
  error?: unknown;
  interrupts?: { id?: string; value?: unknown }[];
  result?: unknown;
  /** The state of the node's subgraph, or its config. */
  state?: GraphState | RunnableConfig;
}

export interface DrawableGraph {
  /** `data`: the runnable of the node. */
  nodes: Record<string, { id: string; name: string; data?: unknown }>;
  edges: { source: string; target: string; data?: string; conditional?: boolean }[];
  drawMermaid(): string;
  toJSON(): Record<string, unknown>;
}

/** Types a workflow's definition. A workflow folder's `graph.ts` exports it as default. */
export function workflow<Schema extends TObject>(definition: Workflow<Schema>): Workflow<Schema> {
  return definition;
}
