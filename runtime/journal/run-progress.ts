/** The progress of a run's agents: each execution with its state, attempts, text, and the record of its work. */
import type { Executions } from '../../graphs/authoring/run/run-context.ts';
import type { ErrorCode } from '../../state/errors.ts';
import type { Output } from '../../state/threads/conversation.ts';
import {
  type GraphLocation,
  type MessageDelta,
  type NewEntry,
  type TaskEnd,
  type TaskStart,
  type ToolCall,
  taskRefOf,
} from '../../state/threads/events.ts';
import { type AgentReport, addPrompt, emptyRecord, type WorkRecord } from '../../state/threads/run-trace.ts';
import type { UsageSum } from '../../state/usage/model-usage.ts';
import { reportedUsage } from './reported-usage.ts';

export interface RunProgress {
  /** Adds an entry. Returns true if it is the first text of its agent's attempt. */
  note(entry: NewEntry): boolean;
  /** Adds an entry that an earlier process stored. Call it before the other methods. */
  restore(entry: NewEntry & { at?: number }): void;
  agents(): AgentReport[];
  executions: Executions;
  /** The record of an agent's work. After a crash, it has only the finished steps, because the others run again. */
  record(agent: string, location: GraphLocation): WorkRecord;
  /** The outputs of the graph's nodes, in the order in which they finished. */
  outputs(): Output[];
  /** The agent that raised an interrupt. */
  asking(interruptId: string): { agent: string; path: string[] } | undefined;
  /** The usage of model calls that the entries report. */
  reported: UsageSum;
  text(): string;
}

/** Whether the entry is the end of an agent or a step that won't run again. */
export function workFinished({ kind, body }: NewEntry): boolean {
  return kind === 'task_end' && body.state === 'finished';
}

interface Execution {
  agent: string;
  path: string[];
  number: number;
  attempt: number;
  state: AgentReport['state'];
  startedAt: number;
  durationMs: number | null;
  /** The text of this attempt. */
  text: string;
  record: WorkRecord;
  /** The id of its last message. */
  spokenLast?: string | undefined;
  /** The enclosing tasks, the outermost first. */
  within: string[];
  /** The id of the task whose subgraph encloses it. */
  parent: string | undefined;
  /** The ids of the tasks that triggered it. */
  from: string[] | undefined;
  errorCode?: ErrorCode;
}

export function runProgress(): RunProgress {
  const reported = reportedUsage();
  /** By task id. */
  const executions = new Map<string, Execution>();
  /** Unfinished executions inside a task that was retried. They may start again with another task id. */
  let cutOff: Execution[] = [];
  const outputs: Output[] = [];
  const asking = new Map<string, { agent: string; path: string[] }>();

  function found(entry: NewEntry): Execution {
    const { id, agent, path, parent } = taskRefOf(entry);
    const known = executions.get(id);
    if (known) return known;
    const before = cutOffAs(agent, path);
    cutOff = cutOff.filter((one) => one !== before);
    const made: Execution = {
      ...{ agent, path, number: before?.number ?? nextOf(agent, path), attempt: 1 },
      ...{ state: 'started', startedAt: Date.now(), durationMs: null, text: '' },
      ...{ record: emptyRecord(), within: entry.ns ?? [] },
      ...{ parent, from: before?.from },
    };
    executions.set(id, made);
    return made;
  }

  function cutOffAs(agent: string, path: string[]): Execution | undefined {
    return cutOff.find((one) => isAt(one, agent, path));
  }

  function nextOf(agent: string, path: string[]): number {
    const same = Array.from(executions.values()).filter((one) => isAt(one, agent, path));
    return Math.max(0, ...same.map(({ number }) => number)) + 1;
  }

  function note(entry: NewEntry, at = Date.now()): boolean {
    reported.note(entry);
    if (entry.kind === 'task' && entry.body.part === undefined) noteStart(entry, entry.body);
    if (entry.kind === 'task_end') noteEnd(entry, entry.body);
    if (entry.kind === 'tool') noteTool(found(entry).record, entry.body, at);
    return entry.kind === 'message' && noteText(found(entry), entry.body);
  }

  function noteStart(entry: NewEntry, { attempt = 1, from }: TaskStart): void {
    const execution = found(entry);
    // A retried execution keeps its start time.
    if (execution.state !== 'started') execution.startedAt = Date.now();
    // An `agent()` inside a node of another name replaces the node's execution.
    const { agent, path } = taskRefOf(entry);
    if (execution.agent !== agent) Object.assign(execution, { agent, number: nextOf(agent, path) });
    Object.assign(execution, { attempt, state: 'started', durationMs: null, errorCode: undefined });
    execution.from ??= from;
    if (attempt === 1) return;
    // A further attempt repeats all of its text, and the executions inside it start again.
    execution.text = '';
    for (const [id, inner] of executions) {
      const isInside = inner.within.some((task) => task.endsWith(`:${taskRefOf(entry).id}`));
      if (!isInside || inner.state === 'finished') continue;
      executions.delete(id);
      cutOff.push(inner);
    }
  }

  function noteEnd(entry: NewEntry, end: TaskEnd): void {
    const { part, state, started_at, duration_ms, interrupts = [], output } = end;
    for (const id of interrupts) noteAsking(id, entry);
    // An interrupted execution continues with the person's answer.
    if (part !== undefined || state === 'interrupted') return;
    const execution = found(entry);
    if (started_at !== undefined) execution.startedAt = Date.parse(started_at);
    execution.state = state;
    if (end.error) execution.errorCode = end.error.error_code;
    execution.durationMs = duration_ms;
    if (!output) return;
    const { content, data, finished_at: finishedAt } = output;
    outputs.push({ agent: execution.agent, content, data, finishedAt });
  }

  /** Keeps the first report of an interrupt, which is that of the innermost task. */
  function noteAsking(id: string, entry: NewEntry): void {
    const { agent, path } = taskRefOf(entry);
    if (!asking.has(id)) asking.set(id, { agent, path });
  }

  function noteText(execution: Execution, { delta: text, id }: MessageDelta): boolean {
    execution.spokenLast = id;
    const isFirst = execution.text === '';
    execution.text += text;
    return isFirst;
  }

  /** The triggers of steps, by task id. */
  const causes = new Map<string, string[]>();

  function restoreRecord(entry: NewEntry): void {
    if (entry.kind === 'task' && entry.taskId && entry.body.from) causes.set(entry.taskId, entry.body.from);
    if (entry.kind !== 'task_end' || entry.body.state === 'interrupted') return;
    const { part, state, started_at, duration_ms, prompts, calls } = entry.body;
    const { record } = found(entry);
    if (part === undefined) {
      // The lists of an agent's end include those of its steps.
      if (prompts) record.prompts = prompts;
      if (calls) record.calls = calls;
    } else if (started_at) {
      const { taskId } = entry;
      const from = causes.get(taskId ?? '');
      const cause = { ...(taskId !== undefined && { task_id: taskId }), ...(from && { from }) };
      record.steps.push({ step: part, state, started_at, duration_ms, ...cause });
      for (const used of prompts ?? []) addPrompt(record, used);
      record.calls.push(...(calls ?? []));
    }
  }

  return {
    note: (entry) => note(entry),
    restore(entry) {
      note(entry, entry.at);
      restoreRecord(entry);
    },
    agents: () =>
      Array.from(executions, ([id, { agent, path, number, parent, from, errorCode, ...execution }]) => ({
        ...{ agent, path, execution: number, task_id: id },
        ...(parent !== undefined && { parent_task_id: parent }),
        ...(from && { from }),
        ...{ state: execution.state, startedAt: execution.startedAt, durationMs: execution.durationMs },
        ...(errorCode && { error_code: errorCode }),
        ...execution.record,
      })),
    executions: {
      begin(agent, location) {
        const { id, path } = taskRefOf(at(agent, location));
        const known = executions.get(id) ?? cutOffAs(agent, path);
        if (known?.agent !== agent) return { attempt: 1, execution: nextOf(agent, path) };
        return { attempt: known.attempt + 1, execution: known.number };
      },
      spokenLast: (agent, location) => found(at(agent, location)).spokenLast,
      text: (agent, location) => found(at(agent, location)).text,
      attempt: (agent, location) => executions.get(location.taskId ?? agent)?.attempt ?? 1,
    },
    record(agent, location) {
      const { record } = found(at(agent, location));
      record.steps = record.steps.filter(({ state }) => state === 'finished');
      record.tools = record.tools.filter(({ state }) => state !== 'started');
      return record;
    },
    outputs: () => [...outputs],
    asking: (id) => asking.get(id),
    reported: reported.total,
    text: () =>
      responseText(
        Array.from(executions.values(), ({ agent, text }) => ({ agent, content: text })).filter(
          ({ content }) => content !== '',
        ),
      ),
  };
}

function noteTool({ tools }: WorkRecord, call: ToolCall, at: number): void {
  const { tool, tool_call_id, state, duration_ms: took = 0, error } = call;
  const started = tools.findLast((one) => one.tool === tool && one.tool_call_id === tool_call_id);
  const time = { started_at: new Date(at - took).toISOString(), duration_ms: took };
  if (state === 'started') tools.push({ tool, tool_call_id, state, ...time, duration_ms: null });
  else if (started?.state === 'started')
    Object.assign(started, { state, ...time, ...(error !== undefined && { error }) });
}

function isAt(execution: Execution, agent: string, path: string[]): boolean {
  return execution.agent === agent && execution.path.join('/') === path.join('/');
}

/** An empty entry with only an agent and a location, to look up the execution. */
function at(agent: string, location: GraphLocation): NewEntry {
  return { ...location, kind: 'status', body: { agent, text: '' } };
}

/** Joins the agents' texts: a single text unchanged, several texts as blocks with the agents' names. */
export function responseText(outputs: { agent: string; content: string }[]): string {
  const [first, ...others] = outputs;
  if (first && others.length === 0) return first.content;
  return outputs.map(({ agent, content }) => `${agent}: ${content}`).join('\n\n');
}
