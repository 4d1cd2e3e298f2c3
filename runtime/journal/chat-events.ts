/** The chat API's view of a run's log: the events of its streams. */
import type { ErrorBody } from '../../state/errors.ts';
import {
  type EventBatch,
  type LogEntry,
  type NewEntry,
  type TaskEnd,
  type TaskStart,
  type ToolCall,
  taskRefOf,
} from '../../state/threads/events.ts';
import {
  type AgentReport,
  type ModelCallEntry,
  type StepEntry,
  type UsedPrompt,
  usageOf,
} from '../../state/threads/run-trace.ts';
import type { View, ViewBatch } from './view.ts';

/** An event as it is sent, except that `response` has no data: the response is stored with the run. */
export type ChatEvent =
  | { event: 'run'; data: { run_id: string; thread_id: string; message_id: string; workflow: string } }
  | { event: 'agent'; data: AgentEvent }
  | { event: 'token'; data: AgentText }
  | { event: 'status'; data: StatusEvent }
  | { event: 'tool'; data: ToolEvent }
  | { event: 'custom'; data: { agent: string; path?: string[]; data: unknown } }
  | { event: 'interrupt'; data: { interrupt_id: string; value: unknown } }
  | { event: 'response'; data: null }
  | { event: 'error'; data: ErrorBody }
  | { event: 'end'; data: Record<string, never> };

interface AgentText {
  agent: string;
  /** The names of the nodes whose subgraphs enclose the agent; left out in the root graph. */
  path?: string[];
  text: string;
}

export interface AgentEvent {
  agent: string;
  /** The names of the nodes whose subgraphs enclose the agent; [] in the root graph. */
  path: string[];
  state: AgentReport['state'];
  /** Counts the agent's executions in its graph, from 1. */
  execution: number;
  /** Counts from 1. If it is above 1 with `started`, discard the agent's earlier text. */
  attempt: number;
  /** LangGraph's id of the task. */
  task_id?: string;
  /** The task whose subgraph encloses this one; left out in the root graph. */
  parent_task_id?: string;
  /** With `started`: the ids of the tasks that triggered this one, `__start__` for the start of the graph. */
  from?: string[];
  /** The error code of a failed agent. */
  error_code?: string;
  /** This field and the following ones are set when the agent ends. */
  started_at?: string;
  duration_ms?: number;
  usage?: ReturnType<typeof usageOf>;
  prompts?: UsedPrompt[];
  calls?: ModelCallEntry[];
}

export type ToolEvent = { agent: string; path?: string[] } & Omit<ToolCall, 'agent'>;

/** A status text of an agent; with `step` and `state`, the start or end of a step of its work. */
export interface StatusEvent extends AgentText {
  step?: string;
  state?: StepEntry['state'];
  /** LangGraph's id of the step's task. */
  task_id?: string;
  /** With `started`: the ids of the tasks that triggered this one, `__start__` for the start of the graph. */
  from?: string[];
  /** This field and the following ones are set when the step ends. */
  started_at?: string;
  duration_ms?: number;
  prompts?: UsedPrompt[];
  calls?: ModelCallEntry[];
}

export const CHAT: View<ChatEvent> = { after: (chat) => ({ chat }), of: shownOf };

/** The events of a batch's entries, with consecutive tokens joined. */
export function chatEvents(entries: LogEntry[]): ChatEvent[] {
  const shown: ShownEntry[] = [];
  for (const entry of entries) {
    const event = chatEvent(entry);
    if (event && !joined(shown.at(-1), { event, taskId: entry.taskId }))
      shown.push({ event, taskId: entry.taskId });
  }
  return shown.map(({ event }) => event);
}

/** An event with its task: agents of the same name may produce text in parallel. */
export interface ShownEntry {
  event: ChatEvent;
  taskId: string | undefined;
}

/** Appends a token to the last event if that is a token of the same task. Returns whether it did. */
export function joined(last: ShownEntry | undefined, { event, taskId }: ShownEntry): boolean {
  if (event.event !== 'token' || last?.event.event !== 'token' || last.taskId !== taskId) return false;
  const [before, added] = [last.event.data, event.data];
  if (before.agent !== added.agent || before.text.length >= EVENT_CHARACTERS) return false;
  before.text += added.text;
  return true;
}

/** The length in characters up to which texts are joined. */
export const EVENT_CHARACTERS = 4_096;

/** Undefined for an entry that the chat API doesn't show. */
export function chatEvent(entry: NewEntry): ChatEvent | undefined {
  const { agent, path } = taskRefOf(entry);
  const within = path.length > 0 ? { path } : {};
  switch (entry.kind) {
    case 'task':
      return startOf(entry, entry.body);
    case 'task_end':
      return endOf(entry, entry.body);
    case 'message':
      if (entry.body.delta === '') return undefined;
      return { event: 'token', data: { agent, ...within, text: entry.body.delta } };
    case 'status':
      return { event: 'status', data: { agent, text: entry.body.text } };
    case 'tool':
      return { event: 'tool', data: { agent, ...within, ...entry.body } };
    case 'custom':
      return { event: 'custom', data: { agent, ...within, data: entry.body.data } };
    case 'reasoning':
    case 'checkpoint':
    case 'stream':
    case 'thrown':
      return undefined;
    default:
      return { event: entry.kind, data: entry.body } as ChatEvent;
  }
}

/** The name of a step, for display. */
const textOf = (part: string) => part.replaceAll('_', ' ');

function startOf(entry: NewEntry, { part, attempt = 1, execution = 1, from }: TaskStart): ChatEvent {
  const { agent, path, ...task } = taskIn(entry, part);
  const state = 'started';
  const cause = { ...task, ...(from && { from }) };
  if (part === undefined)
    return { event: 'agent', data: { agent, path, state, attempt, execution, ...cause } };
  return { event: 'status', data: { agent, text: textOf(part), step: part, state, ...cause } };
}

/** A step has its own task id, but the name and path of its agent. */
function taskIn(entry: NewEntry, part: string | undefined) {
  const { agent, path, parent } = taskRefOf(entry);
  const { taskId } = entry;
  return {
    ...{ agent, path },
    ...(taskId !== undefined && { task_id: taskId }),
    ...(part === undefined && parent !== undefined && { parent_task_id: parent }),
  };
}

function endOf(entry: NewEntry, end: TaskEnd): ChatEvent | undefined {
  const { part, state, attempt = 1, execution = 1, started_at, duration_ms, prompts, calls, error } = end;
  const { agent, path, ...task } = taskIn(entry, part);
  if (state === 'interrupted') return undefined;
  // Entries of earlier versions have fewer fields.
  const time = { ...(started_at !== undefined && { started_at }), duration_ms };
  const work = { ...(prompts && { prompts }), ...(calls && { calls }) };
  if (part !== undefined)
    return {
      event: 'status',
      data: { agent, text: textOf(part), step: part, state, ...task, ...time, ...work },
    };
  const usage = calls && { usage: usageOf(calls) };
  const failed = error && { error_code: error.error_code };
  return {
    event: 'agent',
    data: { agent, path, state, attempt, execution, ...task, ...failed, ...time, ...usage, ...work },
  };
}

const known = new WeakMap<EventBatch, ViewBatch<ChatEvent>>();

function shownOf(batch: EventBatch): ViewBatch<ChatEvent> {
  const before = known.get(batch);
  if (before) return before;
  const shown = { ...batch.chat, events: chatEvents(batch.entries) };
  known.set(batch, shown);
  return shown;
}
