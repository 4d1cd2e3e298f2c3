/** A turn as callers ask for it, and as they hold it once it is accepted. */
import type { EndedRun } from '../run/active-run.ts';
import type { Answer } from './answer.ts';
import type { GraphRequest } from './graph-request.ts';

/** What a caller asks for. */
export interface TurnRequest extends GraphRequest {
  owner: string;
  workflow: string;
  threadId?: string | undefined;
  /** Required where there is no input. */
  prompt: string | undefined;
  userId?: string | undefined;
  topic?: string | undefined;
  eventType?: string | undefined;
  strategy: 'enqueue' | 'reject' | 'supersede';
  /** Tighter than the configured limits, or without effect. */
  tokenBudget?: number | undefined;
  deadlineSeconds?: number | undefined;
  /** Its caller waits for the answer as a whole, and follows nothing. */
  whole?: boolean | undefined;
  requestId: string;
  traceparent?: string | undefined;
  /** The digest tells whether the same key comes with another body. */
  idempotency?: { key: string; digest: string } | undefined;
}

/** A person's answer to what a thread waits for. */
export interface ResumeRequest
  extends Answer,
    Pick<TurnRequest, 'owner' | 'requestId' | 'traceparent' | 'idempotency' | 'whole'> {
  threadId: string;
}

/** An accepted turn: it goes on whatever happens to the caller. */
export interface Turn {
  runId: string;
  threadId: string;
  messageId: string;
  /** True when an idempotency key named an earlier run, whose answer this is. */
  replayed: boolean;
  /** Rejects with the SkeinError that ended the run. */
  ended: Promise<EndedRun>;
  cancel(): void;
}
