/** A run's log: its events in LangGraph's terms, stored in batches. Streams for clients are made from it. */

import type { ErrorBody } from './errors.ts';
import type { Lease } from './lease.ts';
import type { ModelCallEntry, UsedPrompt } from './run-trace.ts';

/** Entries `first` to `last` of a run, numbered from 1 without a gap, as one stored piece. */
export interface EventBatch {
  first: number;
  last: number;
  /** The numbers that chat gives to the entries that it shows; `last` is below `first` if it shows none. */
  chat: { first: number; last: number };
  entries: LogEntry[];
}

/** A batch among those of the other runs of its thread. */
export interface ThreadBatch extends EventBatch {
  /** Null: changes of the thread's state outside of runs. */
  runId: string | null;
  /** The number of its first entry within the thread; those of its other entries follow without a gap. */
  seq: number;
}

/** `at`: milliseconds since 1970; of text that was joined, when it began. */
export type LogEntry = NewEntry & { at: number };

export type NewEntry = GraphLocation &
  (
    | { kind: 'run'; body: { run_id: string; thread_id: string; message_id: string; workflow: string } }
    | { kind: 'task'; body: TaskStart }
    | { kind: 'task_end'; body: TaskEnd }
    | { kind: 'message'; body: MessageDelta }
    // What a model thinks before it answers, where its provider shows it; `id` is the message's.
    | { kind: 'reasoning'; body: Pick<MessageDelta, 'agent' | 'delta' | 'id'> }
    | { kind: 'status'; body: Work & { text: string } }
    | { kind: 'tool'; body: ToolCall }
    | { kind: 'custom'; body: Work & { data: unknown } }
    | { kind: 'checkpoint'; body: { parent: string | null; source: string; next: string[] } }
    | { kind: 'stream'; body: StreamPiece }
    // The thread's state was changed from outside of a run; in no run's log. The newest checkpoint of the root graph since.
    | { kind: 'state'; body: { checkpoint: string } }
    // What a run of LangGraph's protocol failed with, before its error.
    | { kind: 'thrown'; body: { error: string; message: string } }
    | { kind: 'interrupt'; body: { interrupt_id: string; value: unknown } }
    // The run's result, which is stored with the run.
    | { kind: 'response'; body: null }
    | { kind: 'error'; body: ErrorBody }
    | { kind: 'end'; body: Record<string, never> }
  );

/** Where in the run's graph an event happened. Unknown or empty fields are left out. */
export interface GraphLocation {
  /** The enclosing graphs, the outermost first, each as `node:task_id`; left out at the root. */
  ns?: string[];
  node?: string;
  taskId?: string;
  /** LangGraph's superstep. */
  step?: number;
  checkpointId?: string;
}

/** The agent whose work it is. */
export interface Work {
  /** Left out if the node has the agent's name. */
  agent?: string;
}

/** The agent that an entry is about. */
export function agentOf({ node = '', body }: NewEntry): string {
  return (body as Work | null)?.agent ?? node;
}

/** The execution of an agent that an entry is about. */
export interface Working {
  /** The id of its task. */
  id: string;
  agent: string;
  /** The names of the nodes whose graphs it is in, the outermost first; [] at the root. */
  path: string[];
  /** The task in whose graph it is; undefined at the root. */
  parent: string | undefined;
}

/** What a step of an agent's work tells is the agent's, whose task is around it. */
export function workingOf(entry: NewEntry): Working {
  const { ns = [], taskId } = entry;
  const agent = agentOf(entry);
  const isOwn = agent === entry.node && (entry.body as Part | null)?.part === undefined;
  const around = isOwn ? -1 : ns.findLastIndex((task) => nameOf(task) === agent);
  const [outer, id] = around < 0 ? [ns, taskId] : [ns.slice(0, around), idOf(ns[around] ?? '')];
  const last = outer.at(-1);
  return { id: id ?? agent, agent, path: outer.map(nameOf), parent: last && idOf(last) };
}

// A task is `node:task_id`, and nodes may have colons in their names.
function nameOf(task: string): string {
  return task.slice(0, task.lastIndexOf(':'));
}

function idOf(task: string): string {
  return task.slice(task.lastIndexOf(':') + 1);
}

/** A tool call. The entry of its start has `input`, the entry of its end the rest. */
export interface ToolCall extends Work {
  tool: string;
  tool_call_id: string | null;
  state: 'started' | 'finished' | 'failed';
  input?: unknown;
  output?: unknown;
  error?: string;
  duration_ms?: number;
}

/** A task that is a step of an agent's work. */
interface Part extends Work {
  /** The name of the step. */
  part?: string;
}

export interface TaskStart extends Part {
  /** Default 1. A number above says: what was said in this task before is void. */
  attempt?: number;
  /** Counts how often the node has run in the graph; default 1. */
  execution?: number;
  /** The channels that started it; left out where the task only begins anew. */
  triggers?: string[];
  /** The ids of the tasks that led to it, `__start__` for the start of its graph; left out where they are not known. */
  from?: string[];
}

export interface TaskEnd extends Part {
  /** `interrupted`: it asks a person, and starts again with the answer. */
  state: 'finished' | 'failed' | 'interrupted';
  /** Default 1. */
  attempt?: number;
  /** Default 1. */
  execution?: number;
  started_at?: string;
  duration_ms: number;
  prompts?: UsedPrompt[];
  calls?: ModelCallEntry[];
  /** Of an agent whose response is one of the turn's: its text, where that is not what it said. */
  response?: string;
  /** Why it failed. */
  error?: Pick<ErrorBody, 'error_code' | 'message'>;
  /** The ids of what it asks. */
  interrupts?: string[];
  /** What the task wrote to the channels of its graph, as JSON; of messages those that it was not given. */
  update?: unknown;
  /** Of a node of the root graph: what it said, and the rest of its update. */
  output?: NodeOutput;
}

interface NodeOutput {
  content: string;
  data: unknown;
  /** Milliseconds since 1970. */
  finished_at: number;
}

export interface MessageDelta extends Work {
  delta: string;
  /** The id of the message in the graph's state, where the text becomes one. */
  id?: string;
  /** In a run whose stream has messages: the piece as LangChain has it, without its id and, where that is the delta, its text. */
  chunk?: Record<string, unknown>;
  /** What is known of the call, with the first piece of each message. */
  metadata?: Record<string, unknown>;
}

/**
 * A piece of LangGraph's stream that a run of its protocol was asked for. Values of more than some kilobytes are named by
 * the checkpoint that has them.
 */
export type StreamPiece = { mode: string; data: unknown } | { mode: 'values'; checkpoint: string };

/** The entry to read after: by its number in the run, or by chat's. */
export type After = { entry: number } | { chat: number };

export type Urgency = 'now' | 'soon';

export interface Events {
  /**
   * Resolves when the batches that `take` gives survive the end of this process, which takes a moment longer where it is
   * not urgent. `take` is called when they are written, and again where that is tried again. A run's batches are stored
   * in the order of the calls, and where one fails, so do those that wait behind it. The same batch again changes
   * nothing. Throws LeaseLost.
   */
  append(lease: Lease, take: () => EventBatch[], urgency: Urgency): Promise<void>;
  /** The batches of a run that have something later, in order, at most `limit`. */
  read(runId: string, after: After, limit: number): Promise<EventBatch[]>;
  /**
   * The batches of all runs of a thread, and the changes of its state in between (`Threads.moveHead`), that have an entry
   * after number `after` of the thread, in order, at most `limit`.
   */
  readThread(threadKey: string, after: number, limit: number): Promise<ThreadBatch[]>;
}
