/** Runs that another process has: when their logs have more, and how they end, read from the state. */
import type { Hint } from '../../../state/coordination.ts';
import { SkeinError, unavailable } from '../../../state/errors.ts';
import type { State } from '../../../state/state.ts';
import type { EndedRun, StoredEnd } from '../ended-run.ts';

export interface RemoteRuns {
  /** Asks to hear of a run until `leave` is called. */
  watch(runId: string): Watched;
  /** How a run ends. Rejects as `StoredEnd` does, or with STATE_UNAVAILABLE or SHUTTING_DOWN, which name the run. */
  ended(owner: string, runId: string): Promise<EndedRun>;
  /** Resolves once the run has ended, or after `mostMs`. */
  waitForEnd(runId: string, mostMs: number): Promise<void>;
  onHint(hint: Hint): void;
  /** The service stops: nobody is kept waiting. */
  close(): void;
}

interface Watched {
  /** Resolves when the run's log has had more since it was called last, and after a while in any case: hints may be lost. */
  changed(): Promise<void>;
  unwatch(): void;
}

// A run that was accepted a moment ago is often over soon.
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 500;

export function remoteRuns(state: State, storedEnd: StoredEnd): RemoteRuns {
  const waiting = new Map<string, Set<() => void>>();
  let closed = false;

  function watch(runId: string): Watched {
    const unfollow = state.coordination.follow(runId);
    let look = FIRST_LOOK_MS;
    // What is heard while nobody waits for it is not lost.
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

  async function waitForEnd(runId: string, mostMs = Number.POSITIVE_INFINITY): Promise<void> {
    const until = Date.now() + mostMs;
    const watched = watch(runId);
    try {
      while (!(await state.runs.hasEnded(runId)) && Date.now() < until) await watched.changed();
    } finally {
      watched.unwatch();
    }
  }

  return {
    watch,
    waitForEnd,
    async ended(owner, runId) {
      try {
        await waitForEnd(runId);
        return await storedEnd(owner, runId);
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

/** The database cannot be reached, or has no room: who waits for a run is told which one it is. */
export function namingRun(error: unknown, runId: string): unknown {
  const reason = unavailable(error);
  if (!reason) return error;
  return new SkeinError(reason.code, {
    detail: `Run ${runId} was accepted and goes on`,
    retryAfter: reason.retryAfter ?? 1,
    cause: error,
  });
}

function stopping(runId: string): SkeinError {
  return new SkeinError('SHUTTING_DOWN', { detail: `Run ${runId} goes on`, retryAfter: 5 });
}
