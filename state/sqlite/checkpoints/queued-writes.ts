/** The writes of a saver that are queued but not committed, in groups that check the lease once. */
import { type Lease, LeaseLost } from '../../cluster/lease.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import type { CheckpointStatements } from './statements.ts';

export interface QueuedWrites {
  /**
   * Queues `work` and resolves when it is committed; if `urgent`, when it is on disk. After a failure, all later writes of the
   * run fail, so that no checkpoint has a gap below it. Writes without a lease fail independently.
   */
  add(thread: string, urgent: boolean, work: () => void): Promise<void>;
  hasPending(thread: string): boolean;
  /** The error of the run's first write that failed. */
  failureOf(thread: string): unknown;
  release(thread: string): void;
}

interface Parts {
  commit: GroupCommit;
  /** Of the writing run. Without one, each write is committed in the next transaction. */
  lease: Lease | undefined;
  holds: CheckpointStatements['holds'];
  /** Called when the cached values of a thread may differ from the stored ones. */
  releaseValues(thread: string): void;
  /** Called without a lease, when all writes of a thread have ended. */
  releaseThread(thread: string): void;
}

/** The state of a thread while it has writes that are not committed. */
interface Unsettled {
  /** The number of groups of writes that are not committed. */
  groups: number;
  /** The group to which writes can be added. */
  open?: Group | undefined;
  failure?: unknown;
}

/** Writes that are executed in order after one check of the run's lease. */
interface Group {
  works: (() => void)[];
  urgent: boolean;
  done: Promise<void>;
}

export function queuedWrites({ commit, lease, holds, releaseValues, releaseThread }: Parts): QueuedWrites {
  const unsettled = new Map<string, Unsettled>();

  function queue(thread: string, state: Unsettled, group: Omit<Group, 'done'>): Promise<void> {
    const write = () => {
      state.open = undefined;
      // Returns false instead of throwing, so that other work in the same transaction is not rolled back.
      if (lease && !holds.get(lease.runId, lease.number)) return false;
      for (const work of group.works) work();
      if (!lease) releaseValues(thread);
      return true;
    };
    const unit = lease?.runId ?? thread;
    // The caller waits for a change outside of a run, so it is not deferred.
    const later = lease ? 'defer' : 'commit';
    const written = commit[group.urgent ? 'write' : later](unit, write);
    state.groups++;
    const done = written.then(
      (isWritten) => {
        state.groups--;
        if (!lease && state.groups === 0) releaseThread(thread);
        if (isWritten || !lease) return;
        state.failure = new LeaseLost(lease);
        throw state.failure;
      },
      (error) => {
        state.groups--;
        if (lease) state.failure = error;
        else if (state.groups === 0) releaseThread(thread);
        releaseValues(thread);
        throw error;
      },
    );
    // Most writes are not awaited: the next write and the end of the run throw their failure.
    done.catch(() => {});
    state.open = { ...group, done };
    return done;
  }

  return {
    add(thread, urgent, work) {
      const state = unsettled.get(thread) ?? { groups: 0 };
      if (state.failure !== undefined) throw state.failure;
      unsettled.set(thread, state);
      const { open } = state;
      if (!open || (urgent && !open.urgent)) return queue(thread, state, { urgent, works: [work] });
      open.works.push(work);
      return open.done;
    },
    hasPending: (thread) => (unsettled.get(thread)?.groups ?? 0) > 0,
    failureOf: (thread) => unsettled.get(thread)?.failure,
    release: (thread) => void unsettled.delete(thread),
  };
}
