/** What a workflow is: its definition, what `build` gets, and what the runtime asks of the graph that it returns. */
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

/** What `build` gets: the workflow's own options and what turns a function into an agent of the graph. */
export interface WorkflowTools<Options> {
  options: Options;
  /** Makes an agent of a function; its name is the node's name and its prompt file's. */
  agent: AgentNode;
  /** Makes an agent of several steps, which are checkpointed one by one. */
  agentGraph: AgentGraph;
  /** A workflow of the core as a node of this one. */
  coreWorkflow: CoreWorkflow;
  /** Opens the configured SQL database, at its first use. */
  openSql: OpenSql;
  /** Opens a database of tables that a run brings, in memory and under the same guard; it ends with the run. */
  openTables: RunTables;
  /** Opens the configured knowledge base, at its first use. */
  openLibrary: OpenLibrary;
}

export interface Workflow<Schema extends TObject = TObject> {
  /** One sentence: what it is for. */
  description: string;
  /** The settings under `workflows.<name>` that only this workflow has, with defaults. */
  options?: Schema;
  /** The agents, in the order in which they usually run. */
  agents(options: Static<Schema>): AgentDescription[];
  /** What it talks to beside the language model: `sql` and `library` say which database and which knowledge base are configured. */
  externalServices?(services: { sql: string; library: string }): string[];
  /** The longest prompt it takes, in characters; default 100,000. */
  maxPromptLength?: number;
  /**
   * Checks a prompt before its turn is accepted, and says what is made of it; throws INVALID_WORKFLOW_INPUT. It is called
   * again when the run starts: what it gives is never stored, the prompt is.
   */
  read?(prompt: string): Reading;
  /** True where its agents change something outside of the conversation: it is not run for a trial of a prompt file. */
  changesOutside?: boolean;
  /** A prompt that works, for documentation and trials. */
  example: string;
  build(tools: WorkflowTools<Static<Schema>>): Graph;
}

/** What a workflow makes of a prompt that is more than a question, such as a document. */
export interface Reading {
  /** What the run's agents get as `input`, in memory only; default: the prompt. */
  input?: unknown;
  /** What models see as the question and the thread remembers; default: the prompt. Some hundred words at most. */
  question?: string;
  /** The revision whose prompt files this run uses; files that it lacks, or all if there is none, are the configured one's. */
  promptRevision?: string | undefined;
}

/** A `StateGraph` before it is compiled. */
export interface Graph {
  compile(options: { name?: string }): CompiledGraph;
}

/** What the runtime asks of a compiled graph. */
export interface CompiledGraph {
  /** Lent for each run: see `withPersistence`. */
  checkpointer?: BaseCheckpointSaver | boolean;
  store?: BaseStore;
  withConfig(config: RunnableConfig): CompiledGraph;
  invoke(input: unknown, config: RunnableConfig): Promise<unknown>;
  /** Writes a checkpoint in which `values` went through the reducers, as if the node had given them. */
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
  /** The same for several nodes of a step, and for several steps. */
  bulkUpdateState(
    config: RunnableConfig,
    steps: { updates: { values: unknown; asNode?: string }[] }[],
  ): Promise<RunnableConfig>;
  getGraphAsync(config: RunnableConfig): Promise<DrawableGraph>;
  /** The graphs inside of it, by the node that runs them. */
  getSubgraphsAsync(
    namespace?: string,
    recurse?: boolean,
  ): AsyncIterable<[string, Pick<CompiledGraph, 'getGraphAsync' | 'getSubgraphsAsync'>]>;
  /** What is at a checkpoint, and what would run next. */
  getState(config: RunnableConfig, options?: { subgraphs: boolean }): Promise<GraphState>;
  getStateHistory(
    config: RunnableConfig,
    options?: { limit?: number; before?: RunnableConfig; filter?: Record<string, unknown> },
  ): AsyncIterable<GraphState>;
  /** The nodes before and after which it stops. */
  readonly interruptBefore?: string[] | '*';
  readonly interruptAfter?: string[] | '*';
  /** What it was compiled or configured with. */
  readonly config?: { recursionLimit?: number };
  /** The channels that its output is made of; one name where the output is that channel's value. */
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
  /** Undefined where there is no checkpoint. */
  metadata?: Record<string, unknown>;
  createdAt?: string;
  config: RunnableConfig;
  parentConfig?: RunnableConfig;
}

/** What would run next, or has failed, or asks a person. */
export interface GraphTask {
  id: string;
  name: string;
  path?: unknown;
  error?: unknown;
  interrupts?: { id?: string; value?: unknown }[];
  result?: unknown;
  /** Of the graph that the node runs, or where that is. */
  state?: GraphState | RunnableConfig;
}

export interface DrawableGraph {
  /** `data`: what the node runs. */
  nodes: Record<string, { id: string; name: string; data?: unknown }>;
  edges: { source: string; target: string; data?: string; conditional?: boolean }[];
  drawMermaid(): string;
  toJSON(): Record<string, unknown>;
}

/** Types a workflow's definition. A folder's `graph.ts` exports it as default. */
export function workflow<Schema extends TObject>(definition: Workflow<Schema>): Workflow<Schema> {
  return definition;
}
