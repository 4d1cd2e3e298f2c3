/** A workflow's definition, the argument of `build`, and what the runtime needs of the resulting graph. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { Static, TObject } from '@sinclair/typebox';
import type { OpenLibrary } from '../../tools/knowledge/library.ts';
import type { OpenSql } from '../../tools/sql/open.ts';
import type { AgentNode } from './agent/agent.ts';
import type { AgentGraph } from './agent/agent-graph.ts';
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
  /** Creates an agent from a function. The agent's name is also the name of its node and of its prompt file. */
  agent: AgentNode;
  /** Creates an agent of several steps, each with a checkpoint. */
  agentGraph: AgentGraph;
  /** Makes a core workflow a node of this workflow. */
  coreWorkflow: CoreWorkflow;
  /** Opens the configured SQL database at first use. */
  openSql: OpenSql;
  /** Opens an in-memory database for tables that a run provides, with the same guard. It is closed at the end of the run. */
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
  /** The maximum length of a prompt, in characters. Default: 100,000. */
  maxPromptLength?: number;
  /**
   * Validates a prompt before its turn is accepted, and returns its parsed form for the run. Throws INVALID_WORKFLOW_INPUT.
   * Called again when the run starts, because only the prompt is stored.
   */
  read?(prompt: string): Reading;
  /**
   * True if its agents have side effects outside of the conversation. Such a workflow is not used for dry runs of prompt files.
   */
  changesOutside?: boolean;
  /** A prompt that works, for documentation and trials. */
  example: string;
  build(tools: WorkflowTools<Static<Schema>>): Graph;
}

/** The parsed form of a prompt that is more than a question, such as a document. */
export interface Reading {
  /** The `input` of the run's agents. Only kept in memory. Default: the prompt. */
  input?: unknown;
  /** The question for models and for the thread, at most a few hundred words. Default: the prompt. */
  question?: string;
  /**
   * The prompt revision of this run. Missing files come from the configured revision, or all files if the revision doesn't
   * exist.
   */
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
  /** Like `updateState`, for several nodes of a step, and for several steps. */
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
  /** The output channels; a single name if the output is the value of that channel. */
  readonly outputChannels?: string | string[];
  readonly nodes: Record<string, unknown>;
  readonly channels: Record<string, unknown>;
  /** The graph from which it was compiled, with its conditional edges by node. */
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
