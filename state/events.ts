/** A run's log: what happened in it, in LangGraph's terms, stored in pieces. What clients are sent is made of it. */

import type { ErrorBody } from './errors.ts';
import type { Lease } from './lease.ts';
import type { ModelCallEntry, UsedPrompt } from './run-trace.ts';

/** Entries `first` to `last` of a run, numbered from 1 without a gap, as one stored piece. */
export interface EventBatch {
  first: number;
  last: number;
  /** The numbers that chat gives to those of them that it shows; `last` is below `first` where it shows none. */
  chat: { first: number; last: number };
  entries: LogEntry[];
}

/** A batch among those of the other runs of its thread. */
export interface ThreadBatch extends EventBatch {
  runId: string;
  /** The number of its first entry within the thread; those of its other entries follow without a gap. */
  seq: number;
}

/** `at`: milliseconds since 1970; of text that was joined, when it began. */
export type LogEntry = NewEntry & { at: number };

export type NewEntry = Place &
  (
    | { kind: 'run'; body: { run_id: string; thread_id: string; message_id: string; workflow: string } }
    | { kind: 'task'; body: TaskStart }
    | { kind: 'task_end'; body: TaskEnd }
    | { kind: 'message'; body: MessageDelta }
    | { kind: 'status'; body: Work & { text: string } }
    | { kind: 'checkpoint'; body: { parent: string | null; source: string; next: string[] } }
    | { kind: 'interrupt'; body: { interrupt_id: string; value: unknown } }
    // The run's result, which is stored with the run.
    | { kind: 'response'; body: null }
    | { kind: 'error'; body: ErrorBody }
    | { kind: 'end'; body: Record<string, never> }
  );

/** Where in the run's graph something happened. What is not known, or empty, is left out. */
export interface Place {
  /** The enclosing graphs, the outermost first, each as `node:task_id`; left out at the root. */
  ns?: string[];
  node?: string;
  taskId?: string;
  /** LangGraph's superstep. */
  step?: number;
  checkpointId?: string;
}

/** Whose work it is. */
export interface Work {
  /** Left out where the node has its name. */
  agent?: string;
}

/** The agent that an entry tells of. */
export function agentOf({ node = '', body }: NewEntry): string {
  return (body as Work | null)?.agent ?? node;
}

/** A task that is a step of an agent's work. */
interface Part extends Work {
  /** The name of the step. */
  part?: string;
}

export interface TaskStart extends Part {
  /** Default 1. A number above says: what was said in this task before is void. */
  attempt?: number;
  /** The channels that started it; left out where the task only begins anew. */
  triggers?: string[];
}

export interface TaskEnd extends Part {
  /** `interrupted`: it asks a person, and starts again with the answer. */
  state: 'finished' | 'failed' | 'interrupted';
  /** Default 1. */
  attempt?: number;
  started_at?: string;
  duration_ms: number;
  prompts?: UsedPrompt[];
  calls?: ModelCallEntry[];
  /** Why it failed. */
  error?: Pick<ErrorBody, 'error_code' | 'message'>;
  /** The ids of what it asks. */
  interrupts?: string[];
}

export interface MessageDelta extends Work {
  delta: string;
  /** The id of the message in the graph's state, where the text becomes one. */
  id?: string;
}

/** After which entry of a run to read: by its number in the run, or by chat's. */
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
  /** The batches of all runs of a thread that have an entry after number `after` of the thread, in order, at most `limit`. */
  readThread(threadKey: string, after: number, limit: number): Promise<ThreadBatch[]>;
}
