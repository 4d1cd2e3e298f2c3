/** A turn as callers request it, and as they hold it once it is accepted. */
import type { NewRun, ResponseRequest } from '../../state/runs.ts';
import type { EndedRun } from '../run/ended-run.ts';
import type { Answer } from './answer.ts';
import type { GraphRequest } from './graph-request.ts';

/** What a caller asks for. */
export interface TurnRequest extends GraphRequest {
  owner: string;
  workflow: string;
  threadId?: string | undefined;
  /** Required if there is no input. */
  prompt: string | undefined;
  userId?: string | undefined;
  topic?: string | undefined;
  eventType?: string | undefined;
  strategy: 'enqueue' | 'reject' | 'supersede';
  /** Takes effect only if it is tighter than the configured limit. */
  tokenBudget?: number | undefined;
  deadlineSeconds?: number | undefined;
  /** Its thread goes with it: soon after its end, or when it is deleted before. */
  temporary?: boolean | undefined;
  /** See `NewRun.follows`. Throws ThreadMoved where the thread does not stand there. */
  follows?: NewRun['follows'];
  response?: ResponseRequest | undefined;
  /** Its caller waits for the whole answer and doesn't follow the run. */
  whole?: boolean | undefined;
  requestId: string;
  traceparent?: string | undefined;
  /** The digest shows whether the same key comes with a different body. */
  idempotency?: { key: string; digest: string } | undefined;
}

/** A person's answer to what a thread waits for. */
export interface ResumeRequest
  extends Answer,
    Pick<
      TurnRequest,
      | 'owner'
      | 'requestId'
      | 'traceparent'
      | 'idempotency'
      | 'whole'
      | 'response'
      // Where it stops from here on; undefined: as the turn was asked to.
      | 'interruptBefore'
      | 'interruptAfter'
    > {
  threadId: string;
  /** It runs the nodes that come next, and stops again. */
  step?: boolean | undefined;
}

/** An accepted turn: it continues whatever happens to the caller. */
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
