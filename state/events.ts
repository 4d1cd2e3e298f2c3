/** A run's events, stored in pieces. */
import type { ErrorBody } from './errors.ts';
import type { AgentReport, ModelCallEntry, StepEntry, UsedPrompt, usageOf } from './run-trace.ts';

/** Events `first` to `last` of a run, as one stored piece. */
export interface EventBatch {
  first: number;
  last: number;
  events: RunEvent[];
}

/** As the log keeps it and, but for the response, as the wire shows it. */
export type RunEvent =
  | { event: 'run'; data: { run_id: string; thread_id: string; message_id: string; workflow: string } }
  | { event: 'agent'; data: AgentEvent }
  | { event: 'token'; data: AgentText }
  | { event: 'status'; data: StatusEvent }
  | { event: 'interrupt'; data: { interrupt_id: string; value: unknown } }
  // The run's result, which is stored with the run.
  | { event: 'response'; data: null }
  | { event: 'error'; data: ErrorBody }
  | { event: 'end'; data: Record<string, never> };

export interface AgentText {
  agent: string;
  text: string;
}

export interface AgentEvent {
  agent: string;
  state: AgentReport['state'];
  /** `started` with a number above 1 says: what this agent said before is void. */
  attempt: number;
  /** The rest is of its end. */
  started_at?: string;
  duration_ms?: number;
  usage?: ReturnType<typeof usageOf>;
  prompts?: UsedPrompt[];
  calls?: ModelCallEntry[];
}

/** What an agent says that it does; with `step` and `state`, that a step of its work begins or ends. */
export interface StatusEvent extends AgentText {
  step?: string;
  state?: StepEntry['state'];
  /** The rest is of its end. */
  started_at?: string;
  duration_ms?: number;
  prompts?: UsedPrompt[];
  calls?: ModelCallEntry[];
}

export interface Events {
  /** Resolves when the batch survives the end of this process, which takes a moment longer where it is not urgent. The same batch again changes nothing. */
  append(runId: string, batch: EventBatch, urgency: 'now' | 'soon'): Promise<void>;
  /** Events of a run after number `after`, in order, at most `limit` batches. */
  read(runId: string, after: number, limit: number): Promise<EventBatch[]>;
}
