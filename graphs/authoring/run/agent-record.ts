/** Records an agent's prompts and calls, and reports when it and its steps start and end. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { isGraphBubbleUp, isGraphInterrupt } from '@langchain/langgraph';
import { SkeinError } from '../../../state/errors.ts';
import type { ConversationState } from '../../../state/threads/conversation.ts';
import type { TaskEnd } from '../../../state/threads/events.ts';
import {
  addPrompt,
  emptyRecord,
  type UsedPrompt,
  type WorkRecord,
} from '../../../state/threads/run-trace.ts';
import type { EndedCall } from '../../../tools/models/call/call.ts';
import type { WireMessage } from '../../../tools/models/provider/endpoint.ts';
import { type RunContext, runIn, type SentPrompt, type Task, workOf } from './run-context.ts';

/** The part of a run's record to which an agent or one of its steps adds. */
export interface AgentRecord {
  agent: string;
  step: string | null;
  /** `text` is the file rendered with these variables. */
  rendered(used: UsedPrompt, text: string, variables: Record<string, unknown>): void;
  called(call: EndedCall): void;
  /** What the agent or step has added so far. */
  readonly added: Pick<WorkRecord, 'prompts' | 'calls'>;
}

/** An agent in a run, and its LangGraph task. */
export interface AgentTask {
  agent: string;
  run: RunContext;
  task: Task;
}

/** Reports when an agent starts and how its work ends. `work` returns its writes to the graph's channels. */
export async function reportedAgent<State extends Pick<ConversationState, 'outputs'>>(
  { agent, run, task }: AgentTask,
  work: (record: WorkRecord) => Promise<Partial<State>>,
): Promise<Partial<State>> {
  const { emit, executions, signal } = run;
  const { location, triggers } = task;
  const started = Date.now();
  // If a node that isn't an agent calls an agent, the agent reports from here on.
  const isFollowed = run.working.delete(location.taskId ?? '');
  const hasBegun = isFollowed && agent === location.node;
  if (isFollowed && !hasBegun)
    emit({ ...location, kind: 'task_end', body: { state: 'finished', duration_ms: 0 } });
  const began = hasBegun ? {} : notFirst(executions.begin(agent, location));
  const record = run.record(agent, location);
  const who = workOf(agent, location);
  const report = (ended: Ended) => {
    const { prompts, calls } = record;
    const time = { started_at: timeOf(started), duration_ms: Date.now() - started };
    const attempt = executions.attempt(agent, location);
    const body = { ...who, ...ended, ...began, ...notFirst({ attempt, execution: 1 }), ...time };
    // An agent that asks a person has not ended: its calls are reported at its end.
    emit({
      ...{ ...location, kind: 'task_end' },
      body: ended.state === 'interrupted' ? body : { ...body, prompts, calls },
    });
  };
  if (!hasBegun)
    emit({
      ...{ ...location, kind: 'task' },
      body: { ...who, ...began, triggers, ...run.causesOf(location, triggers) },
    });
  try {
    const update = await work(record);
    const response = update.outputs?.at(-1)?.content;
    const isSaid = response === executions.text(agent, location);
    report({ state: 'finished', ...(response !== undefined && !isSaid && { response }) });
    return update;
  } catch (thrown) {
    const error = signal.aborted ? signal.reason : thrown;
    const ended = endedBy(thrown, error);
    if (ended) report(ended);
    throw error;
  }
}

/** Reports the start and end of a step. `whole` is the record of the agent. */
export async function reportedStep<T>(
  { agent, run, task }: AgentTask,
  { step, whole }: { step: string; whole: WorkRecord },
  work: (record: AgentRecord) => Promise<T>,
): Promise<T> {
  const { location, triggers } = task;
  const started = Date.now();
  const who = { agent, part: step };
  const cause = run.causesOf(location, triggers);
  const entry: WorkRecord['steps'][number] = {
    ...{ step, state: 'started', started_at: timeOf(started), duration_ms: null },
    ...(location.taskId !== undefined && { task_id: location.taskId }),
    ...cause,
  };
  whole.steps.push(entry);
  const record = agentRecord(run, whole, { agent, step });
  run.emit({ ...location, kind: 'task', body: { ...who, triggers, ...cause } });
  const report = (ended: Ended) => {
    const duration_ms = Date.now() - started;
    const body = { ...who, ...ended, started_at: entry.started_at, duration_ms };
    if (ended.state === 'interrupted') return run.emit({ ...location, kind: 'task_end', body });
    entry.state = ended.state;
    entry.duration_ms = duration_ms;
    const { prompts, calls } = record.added;
    const added = { ...(prompts.length > 0 && { prompts }), ...(calls.length > 0 && { calls }) };
    run.emit({ ...location, kind: 'task_end', body: { ...body, ...added } });
  };
  try {
    const result = await work(record);
    report({ state: 'finished' });
    return result;
  } catch (error) {
    const ended = endedBy(error, run.signal.aborted ? run.signal.reason : error);
    if (ended) report(ended);
    throw error;
  }
}

type Ended = Pick<TaskEnd, 'state' | 'error' | 'interrupts' | 'response'>;

/** Undefined if LangGraph continues elsewhere. `reason`: why it failed, if different from the thrown error. */
function endedBy(thrown: unknown, reason: unknown): Ended | undefined {
  if (isGraphInterrupt(thrown))
    return { state: 'interrupted', interrupts: thrown.interrupts.flatMap(({ id }) => id ?? []) };
  if (isGraphBubbleUp(thrown)) return undefined;
  const { code: error_code, message } =
    reason instanceof SkeinError ? reason : new SkeinError('INTERNAL_ERROR');
  return { state: 'failed', error: { error_code, message } };
}

/** Only the numbers above 1. */
export function notFirst(numbers: {
  attempt: number;
  execution: number;
}): Pick<TaskEnd, 'attempt' | 'execution'> {
  const { attempt, execution } = numbers;
  return { ...(attempt > 1 && { attempt }), ...(execution > 1 && { execution }) };
}

const RECORD = '__skein_agent_record';

/** The record for a `chatModel()` that is called under this config. */
export function recordIn(config: RunnableConfig): AgentRecord | undefined {
  return config.configurable?.[RECORD];
}

export function withAgent<Config extends RunnableConfig>(record: AgentRecord, config: Config): Config {
  return { ...config, configurable: { ...config.configurable, [RECORD]: record } };
}

/** Like `withAgent`, but calls of LangChain's models and tools under this config also belong to the agent. */
export function reportingTo<Config extends RunnableConfig>(record: AgentRecord, config: Config): Config {
  const own = runIn(config)?.callbacks?.(record) ?? [];
  const { callbacks } = config;
  const all = !callbacks ? own : Array.isArray(callbacks) ? [...callbacks, ...own] : callbacks.copy(own);
  return { ...withAgent(record, config), callbacks: all };
}

/** Runs `work` so that calls without a config use the agent's config. */
export function workingAs<T>(record: AgentRecord, config: RunnableConfig, work: () => T): T {
  return AsyncLocalStorageProviderSingleton.runWithConfig(reportingTo(record, config), work) as T;
}

export function agentRecord(
  run: RunContext,
  whole: WorkRecord,
  { agent, step }: { agent: string; step: string | null },
): AgentRecord {
  const { prompts, calls } = emptyRecord();
  const texts: Rendered[] = [];
  return {
    agent,
    step,
    added: { prompts, calls },
    rendered(used, text, variables) {
      addPrompt(whole, used);
      addPrompt({ prompts }, used);
      texts.push({ used, text, variables });
    },
    called(call) {
      const entry = entryOf(call, step);
      whole.calls.push(entry);
      calls.push(entry);
      run.onEnd(call, { agent, step, prompts: promptsIn(call.messages, texts) });
    },
  };
}

interface Rendered {
  used: UsedPrompt;
  text: string;
  variables: Record<string, unknown>;
}

/** Each file once; if it was rendered several times, its first rendering. */
function promptsIn(messages: WireMessage[], texts: Rendered[]): SentPrompt[] {
  const found: { prompts: SentPrompt[] } = { prompts: [] };
  for (const { used, text, variables } of texts) {
    const message = messages.findIndex(({ content }) => content.includes(text));
    const start = messages[message]?.content.indexOf(text) ?? -1;
    if (start < 0) continue;
    addPrompt(found, { ...used, place: { message, start, end: start + text.length }, variables });
  }
  return found.prompts;
}

function entryOf(call: EndedCall, step: string | null): WorkRecord['calls'][number] {
  return {
    model: call.model,
    task: call.task,
    ...(step === null ? {} : { step }),
    started_at: timeOf(call.startedAt),
    duration_ms: call.durationMs,
    first_token_ms: call.firstTokenMs,
    attempt: call.attempts,
    input_tokens: call.usage.inputTokens,
    output_tokens: call.usage.outputTokens,
    ...(call.usage.cost === undefined ? {} : { cost: call.usage.cost }),
    ...(call.errorCode === undefined ? {} : { error_code: call.errorCode }),
    ...(call.errorDetail === undefined ? {} : { error_detail: call.errorDetail }),
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
