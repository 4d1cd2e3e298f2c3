/** Which process executes which run. Any process can claim a run, and one that lost it cannot write it. */
import type { Lease } from './lease.ts';
import type { Attempt, NewRun, RunEnd, RunUsage } from './runs.ts';
import type { Thread } from './threads.ts';

/** Why a run must stop early. */
export type StopReason = 'cancel' | 'rollback';

/**
 * What a run may find when it is accepted, all within one transaction. Runs that are not to start yet (`NewRun.notBefore`)
 * don't count among those that wait: they hold nobody up, and the same bounds hold for them by themselves.
 */
export interface Admission {
  /** The number of turns that may wait on its thread. */
  perThread: number;
  /** The number of runs that may wait, over all threads. */
  queued: number;
  /**
   * `reject`: not where another turn runs or waits; `supersede`: in the place of what runs or was to supersede;
   * `interrupt` and `rollback`: in the place of all that run or wait.
   */
  strategy: 'enqueue' | 'reject' | 'supersede' | 'interrupt' | 'rollback';
  /** Whether this process has a free slot for it. */
  claim: boolean;
}

export type Acceptance =
  | IdempotencyMatch
  /** With a claim, it may start; otherwise `lease` only allows ending it. */
  | { outcome: 'accepted'; threadKey: string; lease: Lease; claim: Claim | undefined }
  /** The thread is being deleted. */
  | { outcome: 'closing' }
  /** Another turn runs or waits, and the policy is `reject`. */
  | { outcome: 'busy' }
  /** `perThread` turns wait on the thread, or `queued` runs over all. */
  | { outcome: 'full'; of: 'thread' | 'all' }
  /** The thread waits for a person; `value` is the question. */
  | { outcome: 'interrupted'; value: unknown }
  /** The interrupt to answer no longer exists. */
  | { outcome: 'answered' }
  /** The thread's newest run is no longer the one that it follows. */
  | { outcome: 'moved' };

export type IdempotencyMatch =
  /** The idempotency key already named this run. */
  | { outcome: 'repeated'; runId: string; threadId: string; messageId: string }
  /** The key was used with another body. */
  | { outcome: 'mismatch' };

/** A run that may start, with everything its execution needs. */
export interface Claim {
  lease: Lease;
  /** The thread's current state. */
  thread: Thread;
  attempt: Attempt;
  /** The newest checkpoint of the run's own root graph, from which it goes on; null: from the thread's head. */
  checkpoint: string | null;
  /** A stop was requested before it was claimed. */
  stop: StopReason | null;
}

export interface Coordination {
  /** The record of an owner's idempotency key, kept for 24 hours; undefined if it names no run. */
  findByIdempotencyKey(
    owner: string,
    idempotency: { key: string; digest: string },
  ): Promise<IdempotencyMatch | undefined>;
  /**
   * Thread (made where it is new), run, its place behind the thread's other turns and its idempotency record in one
   * transaction. From then on the run survives the end of this process; it is on disk with the run's next write, or a
   * moment later. A run that takes the place of others asks them to stop.
   */
  accept(run: NewRun, admission: Admission): Promise<Acceptance>;
  /**
   * The oldest runs whose turn it is and that nobody runs: queued ones, and those of a process that is gone. Where several
   * processes share the state, they may have been accepted by another one.
   */
  claim(limit: number): Promise<Claim[]>;
  /** Stores what the run has used so far. Resolves with the commit, no later than later writes. */
  spend(lease: Lease, usage: RunUsage): Promise<void>;
  /** Queues the run for the next claim, which does not count as another attempt. */
  release(lease: Lease): Promise<void>;
  /**
   * Messages, run and the thread's new head in one transaction; a failed run's checkpoints go in it. Ends a waiting run
   * too. `claim`: the same transaction gives the run whose turn comes next, if there is one. Throws LeaseLost.
   */
  end(lease: Lease, end: RunEnd, claim: boolean): Promise<Claim | undefined>;
  /** Requests a stop from the process that has or claims the run. No effect on an ended run. */
  requestStop(runId: string, reason: StopReason): Promise<void>;
  /** Rejects new turns of the thread, and requests its runs to stop; returns the unfinished ones. */
  closeThread(key: string): Promise<string[]>;
  openThread(key: string): Promise<void>;
  /** Calls `listen` with events for this process, at least once; the returned function unsubscribes. */
  watch(listen: (hint: Hint) => void): () => void;
  /** Requests `progress` of a run on another process until the returned function is called. */
  follow(runId: string): () => void;
  /** Whether another process follows a run of this one. */
  isFollowed(runId: string): boolean;
}

/** Events for a process. A single process only receives stops. */
export type Hint =
  /** The run must stop; it runs or waits in this process. */
  | { kind: 'stop'; runId: string; reason: StopReason }
  /** A run waits that any process may claim. */
  | { kind: 'ready' }
  /** A run that waited here now belongs to another process. */
  | { kind: 'elsewhere'; runId: string }
  /** A run of this process belongs to another one, or will: its work here is wasted. */
  | { kind: 'lost'; runId: string }
  /** Another process follows a run of this one, and waits for its log to be stored. */
  | { kind: 'followed'; runId: string }
  /** The log of a run that is followed here has more. */
  | { kind: 'progress'; runId: string };
