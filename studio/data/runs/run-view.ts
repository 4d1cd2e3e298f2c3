/** Reduces a run's events to one view, from which the chat, the graph and the waterfall are rendered. */
import type { RunStreamEvent } from '../../../client/run-events.ts';
import type { AgentEvent, StatusEvent, ToolEvent } from '../../../runtime/journal/chat-events.ts';
import type { ChatResponse } from '../../../server/chat/schema.ts';
import type { ModelCallEntry, UsedPrompt } from '../../../state/threads/run-trace.ts';
import { nodeOf, type Worker } from './node-id.ts';
import type { Run } from './runs.ts';

export interface RunView {
  run: { run_id: string; thread_id: string; message_id: string; workflow: string } | undefined;
  /** In the order in which they started. */
  agents: AgentView[];
  /** Whether the run is waiting for a person. */
  waits: boolean;
  response: ChatResponse | undefined;
  error: { message: string; error_code: string; request_id: string; detail?: string } | undefined;
  ended: boolean;
  lastEventId: number;
}

/** `cancelled`: the run ended while the agent was working. */
type AgentState = 'started' | 'finished' | 'failed' | 'cancelled';

/** Links work to the tasks of its turn. Missing in runs that earlier versions recorded. */
export interface Caused {
  /** LangGraph's task id. */
  taskId?: string | undefined;
  /** The ids of the tasks that led to this one, or `__start__` for the start of the graph. */
  from?: string[] | undefined;
}

/** One execution of an agent. If the agent runs again, there is another AgentView. */
export interface AgentView extends Worker, Caused {
  /** The task whose subgraph contains this one; undefined in the root graph. */
  parentTask?: string | undefined;
  /** The number of this execution of the agent in its graph, from 1. */
  execution: number;
  state: AgentState;
  attempt: number;
  /** Unix time in milliseconds: the service's time or, until it is known, the time at which this page received the event. */
  startedAt: number;
  durationMs: number | undefined;
  /** The text of this attempt. */
  text: string;
  statuses: string[];
  /** In the order in which they started, with an entry for each execution. */
  steps: StepView[];
  usage: Usage | undefined;
  prompts: UsedPrompt[];
  calls: ModelCall[];
  tools: ToolView[];
  /** The data that the agent wrote to the stream. */
  custom: unknown[];
}

/** Only events have the input and the output, and events are deleted earlier than their run. */
export interface ToolView {
  tool: string;
  id: string | null;
  state: AgentState;
  startedAt: number;
  durationMs: number | undefined;
  input?: unknown;
  output?: unknown;
  error?: string | undefined;
}

/** A model call without its messages. */
export type ModelCall = Omit<ModelCallEntry, 'error_code'> & { error_code?: string };

export interface StepView extends Caused {
  step: string;
  state: AgentState;
  startedAt: number;
  durationMs: number | undefined;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

export const EMPTY_RUN_VIEW: RunView = {
  run: undefined,
  agents: [],
  waits: false,
  response: undefined,
  error: undefined,
  ended: false,
  lastEventId: 0,
};

/** Returns the view after the next event. `now` is the time when the event was received. */
export function withEvent(view: RunView, event: RunStreamEvent, now: number): RunView {
  const next = { ...view, lastEventId: event.id };
  switch (event.event) {
    case 'run':
      return { ...next, run: event.data };
    case 'agent':
      return withAgentEvent(next, event.data, now);
    case 'token':
      return changed(next, event.data.agent, now, ({ text }) => ({ text: text + event.data.text }));
    case 'status':
      return withStatus(next, event.data, now);
    case 'tool':
      return withTool(next, event.data, now);
    case 'custom':
      return changed(next, event.data.agent, now, ({ custom }) => ({
        custom: [...custom.slice(1 - MAX_CUSTOM), event.data.data],
      }));
    case 'interrupt':
      return { ...next, waits: true };
    case 'response':
      return { ...next, response: event.data, waits: event.data.event_type === 'interrupt' };
    case 'error':
      return { ...next, error: event.data };
    case 'end':
      return { ...next, ended: true };
    default:
      // Ignore events that a newer service may send.
      return next;
  }
}

/** The agents of a stored run, which has no texts. */
export function agentsOfRun({ agents }: Run): AgentView[] {
  return agents.map(({ state, started_at, duration_ms, usage, prompts, calls, steps, tools, ...agent }) => ({
    ...newAgent(agent, 1, Date.parse(started_at)),
    ...{ usage, prompts, calls, durationMs: duration_ms ?? undefined },
    state: endOf(state, agent.error_code),
    steps: steps.map((step) => ({ step: step.step, ...causeOf(step), ...timeOf(step) })),
    tools: tools.map(({ tool, tool_call_id: id, error, ...rest }) => ({
      ...{ tool, id, error, ...timeOf(rest) },
    })),
  }));
}

interface Timed {
  state: AgentState;
  started_at: string;
  duration_ms: number | null;
}

/** Work that a cancellation ended is shown as cancelled, not as failed. */
function endOf(state: AgentState, errorCode: string | undefined): AgentState {
  return state === 'failed' && errorCode === 'RUN_CANCELLED' ? 'cancelled' : state;
}

interface WireCause {
  task_id?: string;
  parent_task_id?: string;
  from?: string[];
}

function causeOf({ task_id: taskId, from }: WireCause): Caused {
  return { taskId, from };
}

function timeOf({ state, started_at, duration_ms }: Timed) {
  return { state, startedAt: Date.parse(started_at), durationMs: duration_ms ?? undefined };
}

/** Identifies an execution within a run. */
export function keyOf(agent: Pick<AgentView, 'agent' | 'path' | 'execution'>): string {
  return `${nodeOf(agent)} ${agent.execution}`;
}

function newAgent(
  { agent, path, execution, ...task }: Pick<AgentView, 'agent' | 'path' | 'execution'> & WireCause,
  attempt: number,
  startedAt: number,
): AgentView {
  const empty = { text: '', statuses: [], steps: [], usage: undefined, prompts: [], calls: [] };
  const at = { ...causeOf(task), parentTask: task.parent_task_id };
  const named = { agent, path, execution, ...at, state: 'started' as const, attempt };
  return { ...named, startedAt, durationMs: undefined, ...empty, tools: [], custom: [] };
}

function withAgent(view: RunView, agent: AgentView): RunView {
  const at = view.agents.findIndex((one) => keyOf(one) === keyOf(agent));
  return { ...view, agents: at < 0 ? [...view.agents, agent] : view.agents.with(at, agent) };
}

type Change = (before: AgentView) => Partial<AgentView>;

/** Changes the execution that is running under this name, since the event has no other identification. */
function changed(view: RunView, name: string, now: number, change: Change): RunView {
  const before = workingAs(view, name) ?? newAgent({ agent: name, path: [], execution: 1 }, 1, now);
  return withAgent(view, { ...before, ...change(before) });
}

function workingAs({ agents }: RunView, name: string): AgentView | undefined {
  const named = agents.filter(({ agent }) => agent === name);
  return named.findLast(({ state }) => state === 'started') ?? named.at(-1);
}

function withAgentEvent(view: RunView, data: AgentEvent, now: number): RunView {
  const { state, attempt, started_at, duration_ms, usage, prompts, calls } = data;
  if (state === 'started') {
    const known = view.agents.find((one) => keyOf(one) === keyOf(data));
    const agent = newAgent({ ...data, from: data.from ?? known?.from }, attempt, now);
    return withAgent(attempt > 1 ? withoutUnfinished(view, data) : view, agent);
  }
  const before = view.agents.find((one) => keyOf(one) === keyOf(data)) ?? newAgent(data, attempt, now);
  return withAgent(view, {
    ...{ ...before, attempt, durationMs: duration_ms, state: endOf(state, data.error_code) },
    startedAt: started_at === undefined ? before.startedAt : Date.parse(started_at),
    usage: usage ?? before.usage,
    prompts: prompts ?? before.prompts,
    calls: calls ?? before.calls,
  });
}

/** Removes the unfinished work inside an agent that starts again, because that work starts again, too. */
function withoutUnfinished(view: RunView, outer: Worker): RunView {
  const around = `${nodeOf(outer)}:`;
  const agents = view.agents.filter((one) => one.state === 'finished' || !nodeOf(one).startsWith(around));
  return { ...view, agents };
}

const MAX_CUSTOM = 1_000;

function withTool(view: RunView, event: ToolEvent, now: number): RunView {
  const { agent, tool, tool_call_id: id, state, duration_ms, input, output, error } = event;
  if (state === 'started') {
    const started = { tool, id, state, startedAt: now, durationMs: undefined, input };
    return changed(view, agent, now, ({ tools }) => ({ tools: [...tools, started] }));
  }
  const isIt = (one: ToolView) => one.tool === tool && one.id === id && one.state === 'started';
  const caller = view.agents.findLast((one) => one.agent === agent && one.tools.some(isIt));
  const ended = { state, durationMs: duration_ms, output, error };
  if (caller) {
    const tools = caller.tools.map((one) => (isIt(one) ? { ...one, ...ended } : one));
    return withAgent(view, { ...caller, tools });
  }
  const withoutStart = { tool, id, startedAt: now - (duration_ms ?? 0), ...ended };
  return changed(view, agent, now, ({ tools }) => ({ tools: [...tools, withoutStart] }));
}

const MAX_STATUSES = 200;

function withStatus(view: RunView, status: StatusEvent, now: number): RunView {
  const { agent, text, step, state, prompts = [], calls = [] } = status;
  return changed(view, agent, now, (before) => ({
    // The text of a step's start has its name; the text of its end adds nothing.
    statuses:
      state && state !== 'started' ? before.statuses : [...before.statuses.slice(1 - MAX_STATUSES), text],
    steps: step && state ? withStep(before.steps, { ...status, step, state }, now) : before.steps,
    prompts: prompts.length > 0 ? [...before.prompts, ...prompts] : before.prompts,
    calls: calls.length > 0 ? [...before.calls, ...calls] : before.calls,
  }));
}

type StepEvent = StatusEvent & { step: string; state: 'started' | 'finished' | 'failed' };

function withStep(
  steps: StepView[],
  { step, state, started_at, duration_ms, ...task }: StepEvent,
  now: number,
): StepView[] {
  const startedAt = started_at === undefined ? now : Date.parse(started_at);
  const at = steps.findLastIndex((one) => one.step === step && one.state === 'started');
  const cause = causeOf(state === 'started' || at < 0 ? task : { ...task, from: steps[at]?.from });
  const next = { step, ...cause, state, startedAt, durationMs: duration_ms };
  return state === 'started' || at < 0 ? [...steps, next] : steps.with(at, next);
}
