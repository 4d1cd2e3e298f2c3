/** Runs: what was asked of a workflow, how it goes, and how it ended. */
import type { Output } from './conversation.ts';
import type { ErrorBody } from './errors.ts';
import type { EventBatch } from './events.ts';
import type { AgentReport } from './run-trace.ts';
import type { MemorySize, Thread } from './threads.ts';

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

export interface UnfinishedRun extends Run {
  /** The newest checkpoint of the run, from which it continues. */
  checkpoint: string | null;
  /** The newest checkpoint of its graph or any subgraph: a different one than before means progress. */
  newest: string | null;
  deaths: Deaths;
}

/** How many processes in a row ended during the run while `newest` was its newest checkpoint. */
export interface Deaths {
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
  /** The root graph's newest checkpoint of this run, where its process knows it. */
  checkpoint?: string | undefined;
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
  /** Marks the run as running. Resolves when that survives the end of this process. */
  begin(runId: string, at: number, attempt: Attempt): Promise<void>;
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
