/** Runs: one execution of a workflow, with its request, status and result. */

import type { ErrorBody } from '../errors.ts';
import type { Output } from './conversation.ts';
import type { EventBatch } from './events.ts';
import type { AgentReport } from './run-trace.ts';
import type { Interrupt, MemorySize, Stop, Thread, ThreadTtl } from './threads.ts';

export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'interrupted' | 'cancelled';

/** The request of a run: everything that any process needs to execute it. */
export interface RunRequest {
  userPrompt: string;
  userId?: string;
  topic?: string;
  eventType?: string;
  deadlineSeconds: number;
  tokenBudget?: number;
  /** LangGraph's limit of steps; absent in runs of earlier versions. */
  recursionLimit?: number;
  requestId: string;
  /** W3C trace context. */
  traceparent?: string | undefined;
  /** The caller doesn't stream, so tokens of models that the service doesn't call itself need not be recorded. */
  whole?: boolean;
  /** The new run cancels the thread's running and queued runs. */
  supersedes?: boolean;
  /** The input of a graph that was not created with `workflow()`, instead of the prompt. */
  input?: unknown;
  /** Passed to the nodes as `config.context` and in `config.configurable`. */
  context?: unknown;
  configurable?: Record<string, unknown>;
  /** Nodes before and after which the run stops. */
  interruptBefore?: Nodes;
  interruptAfter?: Nodes;
  /** A checkpoint of the thread to start from instead of the head. */
  checkpointId?: string;
  resume?: Resume;
  /** The conversation, including the question, if the caller keeps the history instead of the thread. */
  conversation?: ConversationMessage[];
  /** The thread is deleted when the run ends. */
  temporary?: boolean;
  /** Only for runs over OpenAI's Responses API. */
  response?: ResponseRequest;
  /** Only for runs over LangGraph's protocol. */
  protocol?: ProtocolRequest;
}

/** The part of a request that a response of OpenAI's Responses API returns. */
export interface ResponseRequest {
  /** The response can be retrieved later, and its thread keeps the checkpoints from which other responses may continue. */
  store: boolean;
  background: boolean;
  /** The input, in its wire form. */
  items: Record<string, unknown>[];
  metadata: Record<string, unknown>;
  instructions?: string;
  maxOutputTokens?: number;
  /** The response that this one continues. */
  previousId?: string;
  conversationId?: string;
}

/** A message as JSON; `content` is text or a list of content blocks. */
export interface ConversationMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | Record<string, unknown>[] | null;
  [field: string]: unknown;
}

/** Options of a run over LangGraph's protocol. Such a run keeps the work of finished nodes even if it fails or is cancelled. */
export interface ProtocolRequest {
  assistantId: string;
  /** Merged from the assistant, the thread and the run. */
  metadata: Record<string, unknown>;
  strategy: MultitaskStrategy;
  command?: RunCommand;
  /** The checkpoint to start from. Default: the thread's newest. */
  checkpoint?: { id: string; ns?: string; map?: Record<string, string> };
  tags?: string[];
  /** The stream modes to record in the run's log. */
  streamModes: StreamMode[];
  /** Whether the stream includes subgraphs. */
  streamSubgraphs: boolean;
  webhook?: string;
}

/** What happens to a thread's unfinished runs when a new run is created, in LangGraph's terms. */
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
  /** Names of nodes, or nodes with their input. */
  goto?: (string | { node: string; input: unknown })[];
}

/** Names of nodes, or `*` for all. */
export type Nodes = string[] | '*';

/** A person's answers to an interrupt from which the run continues. */
export interface Resume {
  /** The run that asked. */
  runId: string;
  /** Answers by interrupt id; empty to continue without an answer. */
  values: Record<string, unknown>;
  /** Nodes to go to, and values to write to the graph's channels, before the run continues. */
  goto?: string[];
  update?: Record<string, unknown>;
  /** Stop again before the next nodes. */
  step?: boolean;
  /** The turn's usage so far. */
  used: Usage;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the prices; absent if none of the called models has a price. */
  cost?: number;
}

/** The usage of a run. */
export interface RunUsage extends Usage {
  /** Usage by model; absent if unknown. */
  models?: ReadonlyMap<string, Usage>;
}

/** The complete result of a turn, sufficient to answer the request again. */
export interface TurnResult {
  agentResponse: string;
  outputs: Output[];
  followupQuestions: Record<string, string>;
  memorySummary: string;
  model: string;
  /** Open questions to a person, and the nodes at which the graph stopped. A turn with either of them waits. */
  interrupts: Interrupt[];
  stoppedAt: Stop[];
}

/** Whether the turn waits for a person: at a question, or at a breakpoint. */
export function isInterrupted({
  interrupts,
  stoppedAt,
}: Pick<TurnResult, 'interrupts' | 'stoppedAt'>): boolean {
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
  /** The number of times that it was claimed. */
  lease: number;
  createdAt: number;
  /** The run does not start before this time. */
  notBefore: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  usage: RunUsage;
  agents: AgentReport[];
  result: TurnResult | null;
  error: ErrorBody | null;
}

/** The number of processes that crashed in a row during the run while `newest` was its newest checkpoint. */
interface Deaths {
  count: number;
  newest: string | null;
}

/** One start of a run. Each process that claims the run starts a new attempt. */
export interface Attempt {
  /** Counted from 1. */
  number: number;
  /** The crashes before this attempt. */
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
  /** The run does not start before this time, and until then it does not block other runs of the thread. */
  notBefore?: number | undefined;
  idempotency?: { key: string; digest: string } | undefined;
  /**
   * The run is only accepted if it continues this one: `runId` is the thread's last unfinished run, or all runs of the thread
   * have ended and `head` is the thread's head.
   */
  follows?: { runId: string; head: string | null } | undefined;
  /** Time to live for the thread if it has none. */
  threadTtl?: ThreadTtl | undefined;
}

/**
 * The end of a run. If a run over LangGraph's protocol fails or is cancelled, its thread waits for the interrupts that are
 * still open at its head.
 */
export interface RunEnd {
  run: Pick<Run, 'runId' | 'threadKey' | 'messageId' | 'workflow' | 'request'>;
  /** The run had started. A run that ends before it starts does not change the thread. */
  started: boolean;
  /** The thread before the run. */
  before: Pick<Thread, 'head' | 'interrupt' | 'memory' | 'messageCount' | 'keepsAll'>;
  finishedAt: number;
  usage: RunUsage;
  agents: AgentReport[];
  /** The root graph's newest checkpoint of this run, if this process knows it. */
  checkpoint?: string | undefined;
  /** Events that may not have been stored yet. */
  events: EventBatch[];
  outcome:
    | { status: 'succeeded'; result: TurnResult; memory: MemorySize }
    | { status: 'interrupted'; result: TurnResult; memory: MemorySize }
    | { status: 'failed'; error: ErrorBody }
    /**
     * `partial`: the text streamed before the cancellation. It is kept as a message, but models don't see it.
     * `rollback`: the run and its checkpoints are deleted.
     */
    | { status: 'cancelled'; error: ErrorBody; partial: string; rollback?: boolean };
}

export interface Runs {
  find(owner: string, runId: string): Promise<Run | undefined>;
  ownerOf(runId: string): Promise<string | undefined>;
  /** Queued and running runs, oldest first. */
  unfinished(): Promise<Run[]>;
  /** Also true if the run does not exist. */
  hasEnded(runId: string): Promise<boolean>;
  /** Ids of the unfinished runs of the thread that answer the interrupt of run `runId`. */
  answering(threadKey: string, runId: string): Promise<string[]>;
  /** The usage of all runs of a thread. */
  usageOf(threadKey: string): Promise<RunUsage>;
  /** Statistics of the newest 100 finished runs of a workflow. */
  statistics(workflow: string): Promise<RunStatistics>;
}

export interface RunStatistics {
  succeeded: number;
  failed: number;
  lastRunAt: number | null;
  /** The number of newest runs that failed in a row. */
  failedInARow: number;
  /** Durations of the succeeded runs in milliseconds, ascending. */
  durations: number[];
}
