/** What a run hands down to its agents through LangGraph's config. */
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { NewEntry, Place, TaskStart, Work } from '../../state/events.ts';
import type { UsedPrompt, WorkRecord } from '../../state/run-trace.ts';
import type { EndedCall } from '../../tools/models/call.ts';
import type { TokenMeter } from '../../tools/models/meter.ts';
import type { ChatModel } from '../../tools/models/models.ts';
import type { Price } from '../../tools/models/options.ts';
import type { DataSources } from './data-sources.ts';
import type { Opened } from './opened.ts';
import type { RunSpans } from './run-spans.ts';

export interface RunContext {
  /** Adds to the run's log. */
  emit(entry: NewEntry): void;
  executions: Executions;
  causesOf: CausesOf;
  /** Aborts with the reason why the run must stop. */
  signal: AbortSignal;
  meter: TokenMeter;
  /** The W3C trace of the request that asked for the run. */
  traceparent?: string | undefined;
  /** What the workflow made of the prompt; without a `read` of its own the prompt. */
  input: unknown;
  /** Whose prompt files are used in place of the configured revision's, where it has them. */
  promptRevision?: string | undefined;
  opened: Opened;
  /** What the tools of graphs ask. */
  sources: DataSources;
  /** The chat model of that name, or without one the workflow's; undefined where none of the name is configured. */
  chat(name?: string): ChatModel | undefined;
  /** What a model of that name costs; undefined where none is configured, or it has no price. */
  priceOf(model: string): Price | undefined;
  /** The workflow's sampling temperature; undefined: the model's own. */
  temperature?: number | undefined;
  /** Notes which model answered: a fallback may differ from the configured one. */
  usedModel(model: string): void;
  /** The record of an agent's work; of work that was cut off, the one that it had. */
  record(agent: string, place: Place): WorkRecord;
  /** The nodes at work that report nothing of themselves, by task. */
  working: Map<string, WorkRecord>;
  /** Messages whose text the log has, by id or themselves. */
  said: Set<unknown>;
  /** What its stream was asked for over LangGraph's protocol. */
  stream?: { messages: boolean };
  /** What hears of LangChain's models and tools that an agent calls; nothing in a dry run. */
  callbacks?(by: Calling): BaseCallbackHandler[];
  /** Where the run is traced. */
  spans?: RunSpans | undefined;
  /** A model call has ended; without `by` the runtime itself made it. */
  onEnd(call: EndedCall, by?: Caller): void;
}

/** The agent whose calls are heard. */
export interface Calling {
  agent: string;
  called(call: EndedCall): void;
}

/** Who made a model call. */
export interface Caller {
  agent: string | null;
  step: string | null;
  /** Prompts that are in the call's messages. */
  prompts: SentPrompt[];
}

/** A prompt file, and where a message of a call has what it gave. */
export interface SentPrompt extends UsedPrompt {
  /** Counted from 0; the text is from `start` up to `end`. */
  place: { message: number; start: number; end: number };
  /** What it was rendered with. */
  variables: Record<string, unknown>;
}

/**
 * Which tasks led to the task at `place`, which `triggers` started: `__start__` for the start of its graph, several where
 * tasks joined, nothing where that is not known.
 */
export type CausesOf = (place: Place, triggers: string[] | undefined) => Pick<TaskStart, 'from'>;

/** Tells one execution of an agent from the next, and its attempts. */
export interface Executions {
  /** The numbers with which it starts: an attempt above 1 where the same task was cut off. */
  begin(agent: string, place: Place): { attempt: number; execution: number };
  /** The id of the message that it spoke last in this execution. */
  spokenLast(agent: string, place: Place): string | undefined;
  /** What it has said in this attempt. */
  said(agent: string, place: Place): string;
  /** The number of the attempt that goes on. */
  attempt(agent: string, place: Place): number;
}

// Names that a graph's own `configurable` does not have.
const KEY = '__skein_run';
const RECORD = '__skein_record';

export function withRun(configurable: Record<string, unknown>, run: RunContext): Record<string, unknown> {
  return { ...configurable, [KEY]: run };
}

/** The config under which the steps of an agent add to its record. */
export function withRecord<Config extends RunnableConfig>(config: Config, record: WorkRecord): Config {
  return { ...config, configurable: { ...config.configurable, [RECORD]: record } };
}

export function recordOf(config: RunnableConfig): WorkRecord {
  const record = config.configurable?.[RECORD] as WorkRecord | undefined;
  if (!record) throw new Error(`config.configurable.${RECORD} is missing: steps run in an agent's graph`);
  return record;
}

export function runIn(config: RunnableConfig): RunContext | undefined {
  return config.configurable?.[KEY];
}

/** Throws where a graph is invoked by somebody else than the runtime. */
export function runOf(config: RunnableConfig): RunContext {
  const run = runIn(config);
  if (!run) throw new Error(`config.configurable.${KEY} is missing: agents run through the runtime`);
  return run;
}

/** The task that a node is called for, as LangGraph describes it in the node's config. */
export interface Task {
  place: Place;
  /** The channels that started it. */
  triggers: string[] | undefined;
}

export function taskOf({ metadata = {} }: RunnableConfig): Task {
  const { langgraph_node, langgraph_step, langgraph_triggers, langgraph_checkpoint_ns = '' } = metadata;
  // `node:task_id` of each enclosing graph, and at last of the task itself.
  const ns = String(langgraph_checkpoint_ns).split('|');
  const taskId = ns.pop()?.split(':')[1];
  const place = { ...(ns.length > 0 && { ns }), node: langgraph_node, taskId, step: langgraph_step } as Place;
  return { place, triggers: langgraph_triggers as string[] | undefined };
}

/** Names the agent of an entry where its node has another name. */
export function workOf(agent: string, { node }: Place): Work {
  return agent === node ? {} : { agent };
}
