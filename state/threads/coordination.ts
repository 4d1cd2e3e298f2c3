/** Decides which process executes which run. Any process can claim a run; a process that lost its lease can't write it. */
import type { Lease } from '../cluster/lease.ts';
import type { Attempt, NewRun, RunEnd, RunUsage } from './runs.ts';
import type { Thread } from './threads.ts';

/** Why a run must stop early. */
export type StopReason = 'cancel' | 'rollback';

/**
 * The conditions under which a run is accepted, checked in one transaction. Runs with a start time in the future
 * (`NewRun.notBefore`) are counted separately against the same limits, because they don't block other runs.
 */
export interface Admission {
  /** Maximum number of turns that wait on the thread. */
  perThread: number;
  /** Maximum number of runs that wait on all threads. */
  queued: number;
  /**
   * `reject`: reject the run if another turn runs or waits; `supersede`: stop the running turn and turns that were to
   * supersede it; `interrupt` and `rollback`: stop all running and waiting turns.
   */
  strategy: 'enqueue' | 'reject' | 'supersede' | 'interrupt' | 'rollback';
  /** Whether this process has a free slot for the run. */
  claim: boolean;
}

export type Acceptance =
  | IdempotencyMatch
  /** With a claim, the run may start; without one, `lease` only allows this process to end it. */
  | { outcome: 'accepted'; threadKey: string; lease: Lease; claim: Claim | undefined }
  /** The thread is being deleted. */
  | { outcome: 'closing' }
  /** Another turn runs or waits, and the policy is `reject`. */
  | { outcome: 'busy' }
  /** `perThread` turns wait on the thread, or `queued` runs wait on all threads. */
  | { outcome: 'full'; of: 'thread' | 'all' }
  /** The thread waits for a person; `value` is the question. */
  | { outcome: 'interrupted'; value: unknown }
  /** The interrupt to answer no longer exists. */
  | { outcome: 'answered' }
  /** The run `NewRun.follows` is no longer the newest of the thread. */
  | { outcome: 'moved' };

export type IdempotencyMatch =
  /** The idempotency key already belongs to this run. */
  | { outcome: 'repeated'; runId: string; threadId: string; messageId: string }
  /** The idempotency key was used with another body. */
  | { outcome: 'mismatch' };

/** A run that may start, with everything its execution needs. */
export interface Claim {
  lease: Lease;
  /** The thread's current state. */
  thread: Thread;
  attempt: Attempt;
  /** The run's newest root checkpoint, from which it continues; null: it starts from the thread's head. */
  checkpoint: string | null;
  /** A stop that was requested before the claim. */
  stop: StopReason | null;
}

export interface Coordination {
  /** Finds the run of an owner's idempotency key. Keys are kept for 24 hours. Undefined if the key is unknown. */
  findByIdempotencyKey(
    owner: string,
    idempotency: { key: string; digest: string },
  ): Promise<IdempotencyMatch | undefined>;
  /**
   * Inserts the run, its position in the thread's queue, its idempotency record and, if it is new, the thread in one
   * transaction. From then on the run survives a crash of this process. It is synced to disk with the run's next write, or
   * shortly after. Runs that it replaces are requested to stop.
   */
  accept(run: NewRun, admission: Admission): Promise<Acceptance>;
  /**
   * Claims the oldest runs that can start: queued runs, and runs whose process has crashed. If several processes share the
   * state, another process may have accepted them.
   */
  claim(limit: number): Promise<Claim[]>;
  /** Stores the run's usage so far. Resolves after the commit, which happens no later than that of later writes. */
  spend(lease: Lease, usage: RunUsage): Promise<void>;
  /** Returns the run to the queue. Its next claim does not count as another attempt. */
  release(lease: Lease): Promise<void>;
  /**
   * Stores the messages, the run and the thread's new head in one transaction, which also deletes the checkpoints of a
   * failed run. Works for waiting runs, too. `claim`: the same transaction claims the next run that can start, if any, and
   * returns it. Throws LeaseLost.
   */
  end(lease: Lease, end: RunEnd, claim: boolean): Promise<Claim | undefined>;
  /** Requests a stop from the process that executes the run or will claim it. No effect on an ended run. */
  requestStop(runId: string, reason: StopReason): Promise<void>;
  /** Rejects new turns of the thread and requests its runs to stop; returns the ids of the unfinished runs. */
  closeThread(key: string): Promise<string[]>;
  openThread(key: string): Promise<void>;
  /** Whether this process believes that it still holds the lease. Leases can expire while the process is waiting. */
  isHeld(lease: Lease): boolean;
  /** Calls `listen` with each event for this process, at least once; the returned function unsubscribes. */
  watch(listen: (hint: Hint) => void): () => void;
  /** Subscribes to `progress` of a run on another process until the returned function is called. */
  follow(runId: string): () => void;
  /** Whether another process follows a run of this one. */
  isFollowed(runId: string): boolean;
}

/** Events for a process. A single process only receives stops. */
export type Hint =
  /** A run that is executed or waits in this process must stop. */
  | { kind: 'stop'; runId: string; reason: StopReason }
  /** There is a waiting run that any process may claim. */
  | { kind: 'ready' }
  /** A run that was waiting in this process now belongs to another process. */
  | { kind: 'elsewhere'; runId: string }
  /** A run of this process belongs to another process, or will soon, so there is no point in continuing it. */
  | { kind: 'lost'; runId: string }
  /** Another process follows a run of this process and waits for its log to be stored. */
  | { kind: 'followed'; runId: string }
  /** The log of a run that this process follows has new entries. */
  | { kind: 'progress'; runId: string };
