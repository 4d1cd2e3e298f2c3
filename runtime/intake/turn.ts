/** A turn as a request and after its acceptance. */
import type { NewRun, ResponseRequest } from '../../state/threads/runs.ts';
import type { EndedRun } from '../run/ending/ended-run.ts';
import type { Answer } from './answer.ts';
import type { GraphRequest } from './graph-request.ts';

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
  /** Applies only if it is below the configured limit. */
  tokenBudget?: number | undefined;
  deadlineSeconds?: number | undefined;
  /** The thread is deleted soon after the run, or with the run if that is deleted first. */
  temporary?: boolean | undefined;
  /** See `NewRun.follows`. If the condition isn't met, throws ThreadMoved. */
  follows?: NewRun['follows'];
  response?: ResponseRequest | undefined;
  /** The caller waits for the whole answer and doesn't follow the run. */
  whole?: boolean | undefined;
  requestId: string;
  traceparent?: string | undefined;
  /** The digest detects a key that is reused with a different body. */
  idempotency?: { key: string; digest: string } | undefined;
}

/** A person's answer to an interrupted thread. */
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
      // The nodes at which it stops from now on; undefined: those of the interrupted turn.
      | 'interruptBefore'
      | 'interruptAfter'
    > {
  threadId: string;
  /** Runs only the next nodes, then stops again. */
  step?: boolean | undefined;
}

/** An accepted turn. It continues if its caller disconnects. */
export interface Turn {
  runId: string;
  threadId: string;
  messageId: string;
  /** True if this is an earlier run with the same idempotency key. */
  replayed: boolean;
  /** Rejects with the SkeinError that ended the run. */
  ended: Promise<EndedRun>;
  cancel(): void;
}
