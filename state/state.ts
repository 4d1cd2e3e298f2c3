/** What lasts: threads, runs, messages, events, feedback and checkpoints, behind small async interfaces. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Output } from './conversation.ts';
import type { ErrorBody } from './errors.ts';
import type { ModelCallEntry, StepEntry, UsedPrompt, usageOf, WorkRecord } from './run-trace.ts';

/** Everything that a driver gives. Nothing above `state/` knows which one it is. */
export interface State {
  threads: Threads;
  runs: Runs;
  idempotencyKeys: IdempotencyKeys;
  messages: Messages;
  events: Events;
  feedback: FeedbackStore;
  checkpointer: BaseCheckpointSaver;
  /** Resolves when all that was written before the call survives the end of the machine too. */
  durable(): Promise<void>;
  /** Rejects when the store cannot be read; gives its size. */
  check(): Promise<{ bytes: number; commits: number }>;
  close(): Promise<void>;
}

/** A conversation. Times are milliseconds since 1970. */
export interface Thread {
  /** The store's own name for it, unique over all owners; the checkpointer's `thread_id`. */
  key: string;
  owner: string;
  threadId: string;
  title: string;
  workflow: string;
  /** The checkpoint from which the next turn starts; null before the first turn that succeeded. */
  head: string | null;
  interrupt: PendingInterrupt | null;
  memory: MemorySize;
  messageCount: number;
  createdAt: number;
  updatedAt: number;
}

/** A turn that waits for a person. */
export interface PendingInterrupt {
  interruptId: string;
  value: unknown;
  runId: string;
  /** The head before the turn, which stands again when the interrupt is dropped, and how much it holds. */
  headBefore: string | null;
  memoryBefore: MemorySize;
}

/** How much the head's window holds, so that a turn knows without reading it whether something must leave. */
export interface MemorySize {
  messages: number;
  tokens: number;
  summary: string;
}

export interface Threads {
  byKey(key: string): Promise<Thread | undefined>;
  find(owner: string, threadId: string): Promise<Thread | undefined>;
  /** Drops the pending interrupt: the head before it stands again, and its run is cancelled. */
  dropInterrupt(key: string): Promise<void>;
  /**
   * Undoes what a cut-off attempt to answer the pending interrupt has left of agents that did not finish, so that the
   * answer is not taken for that of a later question.
   */
  rewindInterrupt(key: string): Promise<void>;
}

export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'interrupted' | 'cancelled';

/** What was asked: everything another process would need to execute the run. */
export interface RunRequest {
  userPrompt: string;
  userId?: string;
  topic?: string;
  eventType?: string;
  deadlineSeconds: number;
  tokenBudget?: number;
  requestId: string;
  /** The W3C trace that it belongs to. */
  traceparent?: string | undefined;
  /** It takes the place of what runs or waits on the thread. */
  supersedes?: boolean;
  /** The person's answer, where the run goes on from an interrupt instead of from the prompt; `used`: by the turn so far. */
  resume?: { interruptId: string; runId: string; value: unknown; used: Usage };
}

/** `usage` is not in it: it is the sum of the calls. */
export interface AgentReport extends WorkRecord {
  agent: string;
  state: 'started' | 'finished' | 'failed';
  startedAt: number;
  durationMs: number | null;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** What a turn gave, whole: enough to answer the caller again. */
export interface TurnResult {
  agentResponse: string;
  outputs: Output[];
  followupQuestions: Record<string, string>;
  memorySummary: string;
  model: string;
  interrupt: { interruptId: string; value: unknown } | null;
}

export interface Run {
  runId: string;
  threadKey: string;
  threadId: string;
  owner: string;
  messageId: string;
  workflow: string;
  status: RunStatus;
  request: RunRequest;
  attempt: number;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  usage: Usage;
  agents: AgentReport[];
  result: TurnResult | null;
  error: ErrorBody | null;
}

/** `checkpoint`: the newest that the run made, from which it goes on. */
export type UnfinishedRun = Run & { checkpoint: string | null };

export interface NewRun {
  runId: string;
  messageId: string;
  owner: string;
  threadId: string;
  title: string;
  workflow: string;
  request: RunRequest;
  createdAt: number;
  /** Whether it starts at once; else it is queued until `begin`. */
  starts: boolean;
  /** Whether it is taken also when the thread waits for a person. */
  evenInterrupted: boolean;
  idempotency?: { key: string; digest: string } | undefined;
}

/** The run is accepted, or its thread waits for a person, or the interrupt it answers is no longer there. */
export type Acceptance =
  | { outcome: 'accepted'; thread: Thread }
  | { outcome: 'interrupted'; value: unknown }
  | { outcome: 'answered' };

export interface RunEnd {
  run: Pick<Run, 'runId' | 'threadKey' | 'messageId' | 'workflow' | 'request'>;
  /** The thread as it was before the run. */
  before: Pick<Thread, 'head' | 'interrupt' | 'memory' | 'messageCount'>;
  finishedAt: number;
  usage: Usage;
  agents: AgentReport[];
  /** The events that are not known to be stored. */
  events: EventBatch[];
  outcome:
    | { status: 'succeeded'; result: TurnResult; memory: MemorySize }
    | { status: 'interrupted'; result: TurnResult; memory: MemorySize }
    | { status: 'failed'; error: ErrorBody }
    /** `partial`: what was said before; it is kept among the messages, outside of the model's window. */
    | { status: 'cancelled'; error: ErrorBody; partial: string };
}

/** Which run an idempotency key of an owner names, for 24 hours. `Runs.accept` writes them. */
export interface IdempotencyKeys {
  find(owner: string, key: string): Promise<{ runId: string; digest: string } | undefined>;
}

export interface Runs {
  /**
   * Thread (made where it is new), run and idempotency record in one transaction. From then on the run survives the end
   * of this process; it is on disk with the run's next write, or a moment later.
   */
  accept(run: NewRun): Promise<Acceptance>;
  /** It starts, `attempt` counted from 1. Resolves when that survives the end of this process. */
  begin(runId: string, at: number, attempt: number): Promise<void>;
  /** What it has used so far. Resolves with the commit, no later than that of what is written after it. */
  spend(runId: string, usage: Usage): Promise<void>;
  /** The service stops in order: the run waits as it is for the next start, which does not count as another attempt. */
  pause(runId: string): Promise<void>;
  /** Messages, run and the thread's new head in one transaction; a failed run's checkpoints go in it. */
  end(end: RunEnd): Promise<void>;
  find(owner: string, runId: string): Promise<Run | undefined>;
  /** Queued and running ones, oldest first: what an earlier process left. */
  unfinished(): Promise<UnfinishedRun[]>;
  /** Over the newest 100 finished runs of a workflow. */
  statistics(workflow: string): Promise<RunStatistics>;
}

export interface RunStatistics {
  succeeded: number;
  failed: number;
  lastRunAt: number | null;
  /** How many of the newest ones failed, without one that succeeded between. */
  failedInARow: number;
  /** Milliseconds from start to end of the succeeded ones, ascending. */
  durations: number[];
}

export interface Message {
  messageId: string;
  threadKey: string;
  threadId: string;
  runId: string;
  role: 'user' | 'assistant';
  content: string;
  createdAt: number;
}

export interface Messages {
  find(owner: string, messageId: string): Promise<Message | undefined>;
}

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

export interface Feedback {
  message_id: string;
  thread_id: string;
  user_id: string | null;
  positive_feedback: boolean | null;
  rating: number | null;
  comment: string | null;
  tags: string[];
  updated_at: string;
}

export interface FeedbackStore {
  put(feedback: Feedback): Promise<void>;
  get(messageId: string): Promise<Feedback | undefined>;
}
