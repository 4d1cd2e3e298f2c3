/** What a run passes to its agents through LangGraph's config. */
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { GraphLocation, NewEntry, TaskStart, Work } from '../../../state/threads/events.ts';
import type { UsedPrompt, WorkRecord } from '../../../state/threads/run-trace.ts';
import type { EndedCall } from '../../../tools/models/call/call.ts';
import type { ChatModel } from '../../../tools/models/models.ts';
import type { Price } from '../../../tools/models/options.ts';
import type { TokenMeter } from '../../../tools/models/usage/meter.ts';
import type { DataSources } from './data-sources.ts';
import type { Opened } from './opened.ts';
import type { RunSpans } from './run-spans.ts';
import type { Stops } from './stops.ts';

export interface RunContext {
  /** Adds to the run's log. */
  emit(entry: NewEntry): void;
  executions: Executions;
  causesOf: CausesOf;
  /** Aborts with the reason why the run must stop. */
  signal: AbortSignal;
  meter: TokenMeter;
  /** The W3C trace of the request that started the run. */
  traceparent?: string | undefined;
  /** What the workflow's `read` returned for the prompt; without `read`, the prompt itself. */
  input: unknown;
  /** The revision whose prompt files take precedence over those of the configured one. */
  promptRevision?: string | undefined;
  opened: Opened;
  /** Data sources of the graphs' tools. */
  sources: DataSources;
  /** The chat model with that name, by default the workflow's; undefined if it isn't configured. */
  chat(name?: string): ChatModel | undefined;
  /** The price of the model with that name; undefined if it isn't configured or has no price. */
  priceOf(model: string): Price | undefined;
  /** The workflow's sampling temperature; undefined: the model's own. */
  temperature?: number | undefined;
  /** Records which model answered: a fallback may differ from the configured one. */
  usedModel(model: string): void;
  /** The record of an agent's work; for resumed work, the earlier one. */
  record(agent: string, location: GraphLocation): WorkRecord;
  /** Running nodes that report nothing themselves, by task. */
  working: Map<string, WorkRecord>;
  /** Messages whose text the log contains, by id or by reference. */
  reported: Set<unknown>;
  /** What the client requested over LangGraph's protocol. */
  stream?: { messages: boolean };
  /** Callbacks for LangChain's models and tools that an agent calls; none in a dry run. */
  callbacks?(by: Calling): BaseCallbackHandler[];
  /** Where the run stops, for graphs that agents invoke themselves. */
  stops?: Stops;
  /** The run's tracing, if enabled. */
  spans?: RunSpans | undefined;
  /** Called at the end of a model call. Without `by`, the runtime itself made the call. */
  onEnd(call: EndedCall, by?: Caller): void;
}

/** The agent whose calls are reported. */
export interface Calling {
  agent: string;
  called(call: EndedCall): void;
}

/** Who made a model call. */
export interface Caller {
  agent: string | null;
  step: string | null;
  /** Prompts that the call's messages contain. */
  prompts: SentPrompt[];
}

/** A prompt file, and the place of its rendered text in a call's messages. */
export interface SentPrompt extends UsedPrompt {
  /** Counted from 0; `end` is exclusive. */
  place: { message: number; start: number; end: number };
  /** The variables of the rendering. */
  variables: Record<string, unknown>;
}

/**
 * The tasks that led to the task at `location`, which `triggers` started: `__start__` for the start of its graph, several
 * after a join, none if unknown.
 */
export type CausesOf = (location: GraphLocation, triggers: string[] | undefined) => Pick<TaskStart, 'from'>;

/** Numbers the executions of an agent, and their attempts. */
export interface Executions {
  /** The initial numbers. The attempt is above 1 if the same task was interrupted before. */
  begin(agent: string, location: GraphLocation): { attempt: number; execution: number };
  /** The id of the agent's last message in this execution. */
  spokenLast(agent: string, location: GraphLocation): string | undefined;
  /** The agent's text in this attempt. */
  text(agent: string, location: GraphLocation): string;
  /** The number of the current attempt. */
  attempt(agent: string, location: GraphLocation): number;
}

// Names that don't occur in a graph's own `configurable`.
const KEY = '__skein_run';
const RECORD = '__skein_record';

export function withRun(configurable: Record<string, unknown>, run: RunContext): Record<string, unknown> {
  return { ...configurable, [KEY]: run };
}

/** Adds the agent's record to the config, so that the steps of the agent can add to it. */
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

/** Throws if the graph was not invoked by the runtime. */
export function runOf(config: RunnableConfig): RunContext {
  const run = runIn(config);
  if (!run) throw new Error(`config.configurable.${KEY} is missing: agents run through the runtime`);
  return run;
}

/** A node's task, from LangGraph's metadata in the node's config. */
export interface Task {
  location: GraphLocation;
  /** The channels that started the task. */
  triggers: string[] | undefined;
}

export function taskOf({ metadata = {} }: RunnableConfig): Task {
  const { langgraph_node, langgraph_step, langgraph_triggers, langgraph_checkpoint_ns = '' } = metadata;
  // `node:task_id` of each enclosing graph, and finally of the task itself.
  const ns = String(langgraph_checkpoint_ns).split('|');
  const taskId = ns.pop()?.split(':')[1];
  const location = {
    ...(ns.length > 0 && { ns }),
    node: langgraph_node,
    taskId,
    step: langgraph_step,
  } as GraphLocation;
  return { location, triggers: langgraph_triggers as string[] | undefined };
}

/** Names the agent of an entry if its node has another name. */
export function workOf(agent: string, { node }: GraphLocation): Work {
  return agent === node ? {} : { agent };
}
