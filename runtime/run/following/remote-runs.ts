/** Watches runs that another process executes: learns of new log entries and of ends from hints, and by polling the state. */

import { asUnavailable, SkeinError } from '../../../state/errors.ts';
import type { State } from '../../../state/state.ts';
import type { Hint } from '../../../state/threads/coordination.ts';
import type { EndedRun, StoredEnd } from '../ending/ended-run.ts';

export interface RemoteRuns {
  /** Subscribes to a run until `unwatch` is called. */
  watch(runId: string): Watched;
  /**
   * Resolves with the run's end. Rejects with the run's error, RUN_NOT_FOUND, RUN_CANCELLED if the run was deleted meanwhile,
   * or STATE_UNAVAILABLE, STORAGE_FULL or SHUTTING_DOWN with the run's id.
   */
  ended(owner: string, runId: string): Promise<EndedRun>;
  /** Resolves when the run has ended, or after `mostMs` milliseconds. */
  waitForEnd(runId: string, mostMs: number): Promise<void>;
  onHint(hint: Hint): void;
  /** Rejects all waiting calls with SHUTTING_DOWN. */
  close(): void;
}

interface Watched {
  /** Resolves when a hint has announced new entries since the last call, or after at most half a second: hints can be lost. */
  changed(): Promise<void>;
  unwatch(): void;
}

// The interval doubles from the first to the last value, because many runs end soon after they are accepted.
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 500;

export function remoteRuns(state: State, storedEnd: StoredEnd): RemoteRuns {
  const waiting = new Map<string, Set<() => void>>();
  let closed = false;

  function watch(runId: string): Watched {
    const unfollow = state.coordination.follow(runId);
    let look = FIRST_LOOK_MS;
    // A hint between two calls of `changed` resolves the next one immediately.
    let change = Promise.withResolvers<void>();
    const wake = () => change.resolve();
    const all = waiting.get(runId) ?? new Set();
    waiting.set(runId, all.add(wake));
    return {
      async changed() {
        if (closed) throw stopping(runId);
        const timer = setTimeout(wake, look);
        look = Math.min(look * 2, LAST_LOOK_MS);
        await change.promise;
        clearTimeout(timer);
        change = Promise.withResolvers();
      },
      unwatch() {
        unfollow();
        all.delete(wake);
        if (all.size === 0 && waiting.get(runId) === all) waiting.delete(runId);
      },
    };
  }

  /** Returns whether the run was unfinished before. */
  async function waitForEnd(runId: string, mostMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const until = Date.now() + mostMs;
    const watched = watch(runId);
    let waited = false;
    try {
      while (!(await state.runs.hasEnded(runId)) && Date.now() < until) {
        waited = true;
        await watched.changed();
      }
    } finally {
      watched.unwatch();
    }
    return waited;
  }

  /** A run that was deleted while this process waited for it was cancelled before: with its thread, or rolled back. */
  async function endOf(owner: string, runId: string): Promise<EndedRun> {
    const waited = await waitForEnd(runId);
    return storedEnd(owner, runId).catch((error: unknown) => {
      const isGone = waited && error instanceof SkeinError && error.code === 'RUN_NOT_FOUND';
      throw isGone ? new SkeinError('RUN_CANCELLED', { cause: error }) : error;
    });
  }

  return {
    watch,
    async waitForEnd(runId, mostMs) {
      await waitForEnd(runId, mostMs);
    },
    async ended(owner, runId) {
      try {
        return await endOf(owner, runId);
      } catch (error) {
        throw namingRun(error, runId);
      }
    },
    onHint(hint) {
      if (hint.kind === 'progress') for (const wake of waiting.get(hint.runId) ?? []) wake();
    },
    close() {
      closed = true;
      for (const all of waiting.values()) for (const wake of all) wake();
    },
  };
}

/** Adds the run's id to an error of an unavailable or full database; returns other errors unchanged. */
export function namingRun(error: unknown, runId: string): unknown {
  const reason = asUnavailable(error);
  if (!reason) return error;
  return new SkeinError(reason.code, {
    detail: `Run ${runId} was accepted and continues`,
    retryAfter: reason.retryAfter ?? 1,
    cause: error,
  });
}

function stopping(runId: string): SkeinError {
  return new SkeinError('SHUTTING_DOWN', { detail: `Run ${runId} continues`, retryAfter: 5 });
}
