/** Runs: what was asked of a workflow, how it goes, and how it ended. */
import type { Output } from './conversation.ts';
import type { ErrorBody } from './errors.ts';
import type { EventBatch } from './events.ts';
import type { AgentReport } from './run-trace.ts';
import type { Interrupt, MemorySize, Stop, Thread, ThreadTtl } from './threads.ts';

export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'interrupted' | 'cancelled';

/** What was asked: everything another process would need to execute the run. */
export interface RunRequest {
  userPrompt: string;
  userId?: string;
  topic?: string;
  eventType?: string;
  deadlineSeconds: number;
  tokenBudget?: number;
  /** LangGraph's bound on steps; runs of earlier versions lack it. */
  recursionLimit?: number;
  requestId: string;
  /** The W3C trace that it belongs to. */
  traceparent?: string | undefined;
  /** Its caller wants the answer whole: tokens of models that are not the service's own need not be recorded. */
  whole?: boolean;
  /** It takes the place of what runs or waits on the thread. */
  supersedes?: boolean;
  /** What a graph that is not made with `workflow()` starts with, in place of the prompt. */
  input?: unknown;
  /** What its nodes find as `config.context`, and under `config.configurable`. */
  context?: unknown;
  configurable?: Record<string, unknown>;
  /** The nodes before and after which it stops. */
  interruptBefore?: Nodes;
  interruptAfter?: Nodes;
  /** The checkpoint of the thread that it starts from in place of the head. */
  checkpointId?: string;
  resume?: Resume;
  /** The conversation up to the question and with it, where the caller keeps it and not the thread. */
  conversation?: ConversationMessage[];
  /** Its thread goes with it. */
  temporary?: boolean;
  /** What only runs of OpenAI's Responses API have. */
  response?: ResponseRequest;
  /** What only runs of LangGraph's protocol have. */
  protocol?: ProtocolRequest;
}

/** What a response shows of its request. */
export interface ResponseRequest {
  /** It can be read again, and its thread keeps the checkpoints to which other responses may go back. */
  store: boolean;
  background: boolean;
  /** The input, in the form of the wire. */
  items: Record<string, unknown>[];
  metadata: Record<string, unknown>;
  instructions?: string;
  maxOutputTokens?: number;
  /** The response that it goes on from. */
  previousId?: string;
  conversationId?: string;
}

/** A message as JSON; `content` is text or a list of content blocks. */
export interface ConversationMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | Record<string, unknown>[] | null;
  [field: string]: unknown;
}

/** What LangGraph's protocol asks of a run beside its input. Such a run keeps what its nodes finished, however it ends. */
export interface ProtocolRequest {
  assistantId: string;
  /** The assistant's, the thread's and the run's. */
  metadata: Record<string, unknown>;
  strategy: MultitaskStrategy;
  command?: RunCommand;
  /** The checkpoint that it starts from; the thread's newest without one. */
  checkpoint?: { id: string; ns?: string; map?: Record<string, string> };
  tags?: string[];
  /** What goes to its log, as its stream was asked for. */
  streamModes: StreamMode[];
  /** Whether the stream has what happens in subgraphs. */
  streamSubgraphs: boolean;
  webhook?: string;
}

/** What becomes of the runs that a thread has when another one comes: LangGraph's names. */
export type MultitaskStrategy = 'reject' | 'enqueue' | 'interrupt' | 'rollback';

export const STREAM_MODES = [
  ...(['values', 'updates', 'messages', 'messages-tuple', 'custom', 'events', 'debug'] as const),
  ...(['checkpoints', 'tasks', 'tools'] as const),
];
export type StreamMode = (typeof STREAM_MODES)[number];

/** LangGraph's `Command`, as JSON. */
export interface RunCommand {
  resume?: unknown;
  update?: Record<string, unknown> | [string, unknown][];
  /** Names of nodes, or nodes with an input of their own. */
  goto?: (string | { node: string; input: unknown })[];
}

/** Names of nodes; `*`: all. */
export type Nodes = string[] | '*';

/** The person's answer, where the run goes on from an interrupt instead of from the prompt. */
export interface Resume {
  /** The run that asked. */
  runId: string;
  /** The answers by interrupt; none where it only goes on. */
  values: Record<string, unknown>;
  /** Nodes to go to, and what to write to the graph's channels, before it goes on. */
  goto?: string[];
  update?: Record<string, unknown>;
  /** It stops again before the nodes that come next. */
  step?: boolean;
  /** By the turn so far. */
  used: Usage;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the prices; absent where no model that was called has a price. */
  cost?: number;
}

/** Of a run. */
export interface RunUsage extends Usage {
  /** What each model has used of it; absent where that is not known. */
  models?: ReadonlyMap<string, Usage>;
}

/** What a turn gave, whole: enough to answer the caller again. */
export interface TurnResult {
  agentResponse: string;
  outputs: Output[];
  followupQuestions: Record<string, string>;
  memorySummary: string;
  model: string;
  /** What it asks a person, and where it stopped: a turn with either waits. */
  interrupts: Interrupt[];
  stoppedAt: Stop[];
}

export function waits({ interrupts, stoppedAt }: Pick<TurnResult, 'interrupts' | 'stoppedAt'>): boolean {
  return interrupts.length > 0 || stoppedAt.length > 0;
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
  /** How often it was claimed. */
  lease: number;
  createdAt: number;
  /** It is not to start before this time. */
  notBefore: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  usage: RunUsage;
  agents: AgentReport[];
  result: TurnResult | null;
  error: ErrorBody | null;
}

/** How many processes in a row ended during the run while `newest` was its newest checkpoint. */
interface Deaths {
  count: number;
  newest: string | null;
}

/** A start of a run, by one process or a later one. */
export interface Attempt {
  /** Counted from 1. */
  number: number;
  /** The deaths before this attempt. */
  deaths: Deaths;
}

export const FIRST_ATTEMPT: Attempt = { number: 1, deaths: { count: 0, newest: null } };

export interface NewRun {
  runId: string;
  messageId: string;
  owner: string;
  threadId: string;
  title: string;
  workflow: string;
  request: RunRequest;
  createdAt: number;
  /** It is not to start before this time, and holds nobody up until then. */
  notBefore?: number | undefined;
  idempotency?: { key: string; digest: string } | undefined;
  /**
   * Accepted only where its thread stands at this run: it is the last of those that have not ended, or all have ended and
   * `head` is the thread's.
   */
  follows?: { runId: string; head: string | null } | undefined;
  /** For its thread, where that has none. */
  threadTtl?: ThreadTtl | undefined;
}

/** A run of LangGraph's protocol that fails or is cancelled leaves its thread waiting for what tasks at its head still ask. */
export interface RunEnd {
  run: Pick<Run, 'runId' | 'threadKey' | 'messageId' | 'workflow' | 'request'>;
  /** Its turn had come: until then it changes nothing of the thread. */
  started: boolean;
  /** The thread as it was before the run. */
  before: Pick<Thread, 'head' | 'interrupt' | 'memory' | 'messageCount' | 'keepsAll'>;
  finishedAt: number;
  usage: RunUsage;
  agents: AgentReport[];
  /** The root graph's newest checkpoint of this run, where its process knows it. */
  checkpoint?: string | undefined;
  /** The events that are not known to be stored. */
  events: EventBatch[];
  outcome:
    | { status: 'succeeded'; result: TurnResult; memory: MemorySize }
    | { status: 'interrupted'; result: TurnResult; memory: MemorySize }
    | { status: 'failed'; error: ErrorBody }
    /**
     * `partial`: what was said before; it is kept among the messages, outside of the model's window. `rollback`: run and
     * checkpoints are deleted.
     */
    | { status: 'cancelled'; error: ErrorBody; partial: string; rollback?: boolean };
}

export interface Runs {
  find(owner: string, runId: string): Promise<Run | undefined>;
  ownerOf(runId: string): Promise<string | undefined>;
  /** Queued and running ones, oldest first: what an earlier process left. */
  unfinished(): Promise<Run[]>;
  /** Also for a run that is not there. */
  hasEnded(runId: string): Promise<boolean>;
  /** The runs of a thread that answer the interrupt of run `runId` and have not ended. */
  answering(threadKey: string, runId: string): Promise<string[]>;
  /** What all runs of a thread have used. */
  usageOf(threadKey: string): Promise<RunUsage>;
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
