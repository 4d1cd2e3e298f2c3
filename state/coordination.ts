/** Who runs what, when: facts of the state, so that any process can claim a run, and one that has lost it cannot write. */
import type { Lease } from './lease.ts';
import type { Attempt, NewRun, RunEnd, RunUsage } from './runs.ts';
import type { Thread } from './threads.ts';

/** Why a run is to end before its work is done. */
export type StopReason = 'cancel' | 'rollback';

/**
 * What a run may find when it is accepted, all within one transaction. Runs that are not to start yet (`NewRun.notBefore`)
 * don't count among those that wait: they hold nobody up, and the same bounds hold for them by themselves.
 */
export interface Admission {
  /** Turns that may wait on its thread. */
  perThread: number;
  /** Runs that may wait, over all threads. */
  queued: number;
  /**
   * `reject`: not where another turn runs or waits; `supersede`: in the place of what runs or was to supersede;
   * `interrupt` and `rollback`: in the place of all that run or wait.
   */
  strategy: 'enqueue' | 'reject' | 'supersede' | 'interrupt' | 'rollback';
  /** Whether this process has room to run it at once. */
  claim: boolean;
}

export type Acceptance =
  | Repeated
  /** Its turn has come where there is a claim; else `lease` only allows to end it. */
  | { outcome: 'accepted'; threadKey: string; lease: Lease; claim: Claim | undefined }
  /** The thread is being deleted. */
  | { outcome: 'closing' }
  /** Another turn runs or waits, and it was not to wait. */
  | { outcome: 'busy' }
  /** `perThread` turns wait on the thread, or `queued` over all. */
  | { outcome: 'full'; of: 'thread' | 'all' }
  /** The thread waits for a person; `value` is what it asks. */
  | { outcome: 'interrupted'; value: unknown }
  /** The interrupt that it answers is no longer there. */
  | { outcome: 'answered' }
  /** The thread no longer stands at the run that it follows. */
  | { outcome: 'moved' };

export type Repeated =
  /** The idempotency key named this run before. */
  | { outcome: 'repeated'; runId: string; threadId: string; messageId: string }
  /** The same key came with another body. */
  | { outcome: 'mismatch' };

/** A run whose turn has come, with all that its execution starts from. */
export interface Claim {
  lease: Lease;
  /** The thread as it is now. */
  thread: Thread;
  attempt: Attempt;
  /** The newest checkpoint of the run's own root graph, from which it goes on; null: from the thread's head. */
  checkpoint: string | null;
  /** It was to stop before it was claimed. */
  stop: StopReason | null;
}

export interface Coordination {
  /** What an idempotency key of an owner says, for 24 hours; undefined where it names no run. */
  repeated(owner: string, idempotency: { key: string; digest: string }): Promise<Repeated | undefined>;
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
  /** What the run has used so far. Resolves with the commit, no later than that of what is written after it. */
  spend(lease: Lease, usage: RunUsage): Promise<void>;
  /** The run waits as it is for the next claim, which does not count as another attempt. */
  release(lease: Lease): Promise<void>;
  /**
   * Messages, run and the thread's new head in one transaction; a failed run's checkpoints go in it. Ends a waiting run
   * too. `claim`: the same transaction gives the run whose turn comes next, if there is one. Throws LeaseLost.
   */
  end(lease: Lease, end: RunEnd, claim: boolean): Promise<Claim | undefined>;
  /** Asks whoever runs it, or claims it, to stop it. Nothing for a run that has ended. */
  requestStop(runId: string, reason: StopReason): Promise<void>;
  /** Refuses turns of the thread from now on, and asks its runs to stop; gives those that have not ended. */
  closeThread(key: string): Promise<string[]>;
  openThread(key: string): Promise<void>;
  /** Calls `listen` with what concerns this process, at least once; the function that is given back ends that. */
  watch(listen: (hint: Hint) => void): () => void;
  /** Asks for `progress` of a run that another process has, until the function that is given back is called. */
  follow(runId: string): () => void;
  /** Whether another process follows a run that this one has. */
  isFollowed(runId: string): boolean;
}

/** What a process hears of the runs. Where there is only one process, it hears of stops alone. */
export type Hint =
  /** It is to stop; for a run of this process, or one that waits there. */
  | { kind: 'stop'; runId: string; reason: StopReason }
  /** A run waits that any process may claim. */
  | { kind: 'ready' }
  /** A run that waited here is another process's by now. */
  | { kind: 'elsewhere'; runId: string }
  /** A run of this process is another one's, or will be: what goes on of it here is in vain. */
  | { kind: 'lost'; runId: string }
  /** Another process follows a run of this one: what its log has not stored yet is waited for there. */
  | { kind: 'followed'; runId: string }
  /** The log of a run that is followed here has more. */
  | { kind: 'progress'; runId: string };
