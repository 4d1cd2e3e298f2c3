/** The log of a run: its events in LangGraph's terms, stored in batches. All client streams are views of it. */

import type { Lease } from '../cluster/lease.ts';
import type { ErrorBody } from '../errors.ts';
import type { ModelCallEntry, UsedPrompt } from './run-trace.ts';

/** Entries `first` to `last` of a run, stored together. Entries are numbered from 1 without gaps. */
export interface EventBatch {
  first: number;
  last: number;
  /** The range of chat event numbers of the batch; `last` is below `first` if chat shows none of its entries. */
  chat: { first: number; last: number };
  entries: LogEntry[];
}

/** A batch with its position in the log of its thread. */
export interface ThreadBatch extends EventBatch {
  /** Null: a change of the thread's state outside of runs. */
  runId: string | null;
  /** The number of its first entry within the thread. The other entries follow without gaps. */
  seq: number;
}

/** `at`: milliseconds since 1970; for joined text, the time of its first piece. */
export type LogEntry = NewEntry & { at: number };

export type NewEntry = GraphLocation &
  (
    | { kind: 'run'; body: { run_id: string; thread_id: string; message_id: string; workflow: string } }
    | { kind: 'task'; body: TaskStart }
    | { kind: 'task_end'; body: TaskEnd }
    | { kind: 'message'; body: MessageDelta }
    // The model's reasoning, if its provider returns it; `id` is the message's.
    | { kind: 'reasoning'; body: Pick<MessageDelta, 'agent' | 'delta' | 'id'> }
    | { kind: 'status'; body: Work & { text: string } }
    | { kind: 'tool'; body: ToolCall }
    | { kind: 'custom'; body: Work & { data: unknown } }
    | { kind: 'checkpoint'; body: { parent: string | null; source: string; next: string[] } }
    | { kind: 'stream'; body: StreamPiece }
    // The thread's state was changed outside of a run. Not in the log of any run. `checkpoint`: the new root checkpoint.
    | { kind: 'state'; body: { checkpoint: string } }
    // The error that a node threw, in runs over LangGraph's protocol. Precedes the entry `error`.
    | { kind: 'thrown'; body: { error: string; message: string } }
    | { kind: 'interrupt'; body: { interrupt_id: string; value: unknown } }
    // Marks the result, which is stored in the run's row.
    | { kind: 'response'; body: null }
    | { kind: 'error'; body: ErrorBody }
    | { kind: 'end'; body: Record<string, never> }
  );

/** Where in the run's graph an event happened. Unknown or empty fields are left out. */
export interface GraphLocation {
  /** The enclosing subgraphs, outermost first, each as `node:task_id`; left out at the root. */
  ns?: string[];
  node?: string;
  taskId?: string;
  /** LangGraph's superstep. */
  step?: number;
  checkpointId?: string;
}

/** Names the agent of an entry. */
export interface Work {
  /** Left out if the node has the agent's name. */
  agent?: string;
}

/** The agent that an entry is about. */
export function agentOf({ node = '', body }: NewEntry): string {
  return (body as Work | null)?.agent ?? node;
}

/** The execution of an agent that an entry is about. */
export interface TaskRef {
  /** The id of its task. */
  id: string;
  agent: string;
  /** The nodes of the enclosing subgraphs, outermost first; [] at the root. */
  path: string[];
  /** The task id of the enclosing subgraph; undefined at the root. */
  parent: string | undefined;
}

/** The agent's execution that an entry belongs to. An entry of a step belongs to the enclosing task of its agent. */
export function taskRefOf(entry: NewEntry): TaskRef {
  const { ns = [], taskId } = entry;
  const agent = agentOf(entry);
  if (ns.length === 0) return { id: taskId ?? agent, agent, path: [], parent: undefined };
  const isOwn = agent === entry.node && (entry.body as Part | null)?.part === undefined;
  const around = isOwn ? -1 : ns.findLastIndex((task) => nameOf(task) === agent);
  const [outer, id] = around < 0 ? [ns, taskId] : [ns.slice(0, around), idOf(ns[around] ?? '')];
  const last = outer.at(-1);
  return { id: id ?? agent, agent, path: outer.map(nameOf), parent: last && idOf(last) };
}

// A task is `node:task_id`, and the name of a node may contain colons.
function nameOf(task: string): string {
  return task.slice(0, task.lastIndexOf(':'));
}

function idOf(task: string): string {
  return task.slice(task.lastIndexOf(':') + 1);
}

/** A tool call. The entry of its start has `input`; the entry of its end has the other optional fields. */
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
  /** Default: 1. A number above 1 means that earlier output of this task is void. */
  attempt?: number;
  /** The number of executions of the node in this graph. Default: 1. */
  execution?: number;
  /** The channels that started the task; left out if the task starts again. */
  triggers?: string[];
  /** The ids of the tasks that triggered it, `__start__` for the start of its graph; left out if unknown. */
  from?: string[];
}

export interface TaskEnd extends Part {
  /** `interrupted`: the task asks a person, and starts again with the answer. */
  state: 'finished' | 'failed' | 'interrupted';
  /** Default: 1. */
  attempt?: number;
  /** Default: 1. */
  execution?: number;
  started_at?: string;
  duration_ms: number;
  prompts?: UsedPrompt[];
  calls?: ModelCallEntry[];
  /** The text of an agent's response to the user, if it differs from the text that the agent streamed. */
  response?: string;
  /** The reason of a failure. */
  error?: Pick<ErrorBody, 'error_code' | 'message'>;
  /** The ids of its interrupts. */
  interrupts?: string[];
  /** The task's writes to the channels of its graph, as JSON. Only messages that it did not receive are included. */
  update?: unknown;
  /** Of a node of the root graph: its text, and the rest of its update. */
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
  /** The id of the message in the graph's state, if the text becomes one. */
  id?: string;
  /** If the run's stream includes messages: LangChain's chunk, without its id, and without its text if that equals `delta`. */
  chunk?: Record<string, unknown>;
  /** LangGraph's metadata of the call; only in the first piece of each message. */
  metadata?: Record<string, unknown>;
}

/**
 * A piece of LangGraph's stream in a mode that the request selected. Values of more than a few kilobytes are stored as a
 * reference to their checkpoint.
 */
export type StreamPiece = { mode: string; data: unknown } | { mode: 'values'; checkpoint: string };

/** The position to read after: the number of an entry in the run, or of a chat event. */
export type After = { entry: number } | { chat: number };

export type Urgency = 'now' | 'soon';

export interface Events {
  /**
   * Resolves when the batches that `take` returns survive a crash of this process; urgency `soon` delays the write slightly.
   * `take` is called when the batches are written, and again for each retry. The batches of a run are stored in the order of
   * the calls; if a write fails, the writes of the run behind it fail, too. Writing a batch again has no effect. Throws
   * LeaseLost.
   */
  append(lease: Lease, take: () => EventBatch[], urgency: Urgency): Promise<void>;
  /** At most `limit` batches of a run that contain entries after `after`, in order. */
  read(runId: string, after: After, limit: number): Promise<EventBatch[]>;
  /**
   * At most `limit` batches of all runs of a thread, and of changes of its state (`Threads.moveHead`), that contain entries
   * after number `after` of the thread, in order.
   */
  readThread(threadKey: string, after: number, limit: number): Promise<ThreadBatch[]>;
}
