/** Handles a run that does not succeed: it fails, is released for the next start, is requeued, or has lost its lease. */
import type { Logger } from 'pino';
import type { RunSaver } from '../../state/checkpoints/checkpoints.ts';
import { isLeaseLost, type Lease, LeaseLost } from '../../state/cluster/lease.ts';
import { asUnavailable, isUnavailable, SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { Claim } from '../../state/threads/coordination.ts';
import type { Thread } from '../../state/threads/threads.ts';
import type { RunLog } from '../journal/run-log.ts';
import type { QueuedRun, RunQueue } from '../queue/run-queue.ts';
import type { AcceptedRun } from './accepted-run.ts';
import type { RunEnding } from './ending.ts';
import { namingRun } from './following/remote-runs.ts';
import { logFailure } from './run-failure.ts';

/** What a run holds: while queued, only a lease, with which it can be ended; then also the thread, and the graph's saver. */
export interface Held {
  lease: Lease;
  running: boolean;
  thread?: Thread;
  saver?: RunSaver;
}

export interface UnsuccessfulEndParts {
  state: State;
  turns: RunQueue;
  journal: RunLog;
  ending: RunEnding;
  log: Logger;
  run: AcceptedRun;
  /** Its place in the run queue, or the claim if the run could start immediately. */
  turn: QueuedRun | Claim;
  /** What the run holds now. */
  held(): Held;
  /** The reason if the service stops the run. */
  released(): SkeinError | undefined;
  /** Rejects with that reason. */
  stopping: Promise<never>;
  /** Whether the run's changes are rolled back at its end. */
  rollback(): boolean;
  /** Removes the run from the active runs of this process. */
  deactivate(): void;
}

const GIVE_BACK_MS = 500;

export function unsuccessfulEnd(parts: UnsuccessfulEndParts) {
  const { state, turns, journal, ending, log, run, turn, held, released, deactivate } = parts;
  const { runId } = run;

  return { over };

  /** Returns the error that the caller gets; undefined if another process has the run. */
  async function over(thrown: unknown): Promise<unknown> {
    const stopped = released();
    if (stopped) return release(stopped);
    if (isLeaseLost(thrown)) return lose(thrown);
    if (held().running && isUnavailable(thrown)) return giveBack(thrown);
    const error = thrown instanceof SkeinError ? thrown : new SkeinError('INTERNAL_ERROR', { cause: thrown });
    logFailure(log, error, run);
    try {
      await fail(error);
    } catch (lost) {
      const stopped = released();
      if (stopped && lost === stopped) return release(stopped);
      return isUnavailable(lost) ? giveBack(lost) : lose(lost);
    }
    return error;
  }

  async function fail(error: SkeinError): Promise<void> {
    const waited = !held().running;
    const written = () => {
      deactivate();
      if ('dequeue' in turn) turn.dequeue();
    };
    try {
      await ending.fail(error, held, { written, rollback: parts.rollback() });
    } catch (lost) {
      if (!waited || !('claimed' in turn)) throw lost;
      // The queued run was claimed here while its end was being stored, so its lease has changed.
      // If another server has claimed it, this one may not know before it stops.
      await Promise.race([turn.claimed, parts.stopping]);
      await ending.fail(error, held, { written, rollback: parts.rollback() });
    }
  }

  async function release(reason: SkeinError): Promise<SkeinError> {
    if ('dequeue' in turn) turn.dequeue();
    // If the release can't be stored, the next start counts another attempt.
    if (held().running) {
      await turns.release(held().lease).catch((err) => log.error({ err, run_id: runId }, 'run not released'));
    }
    journal.close(reason);
    deactivate();
    return reason;
  }

  /**
   * Releases the run because the database has been unavailable for too long or is full. The run continues in the process
   * that claims it next; its caller gets an error with the run's id.
   */
  async function giveBack(err: unknown): Promise<unknown> {
    log.warn({ err, run_id: runId }, 'run released, because the state cannot be written');
    // On a full disk a release may still fit while a turn does not. Wait for free space, or the run would repeat endlessly.
    const isFull = asUnavailable(err)?.code === 'STORAGE_FULL';
    const room = () => (isFull ? state.reachable() : Promise.resolve());
    const tryRelease = () =>
      room()
        .then(() => state.coordination.release(held().lease))
        .catch((error: unknown) => error);
    const insist = async (): Promise<void> => {
      while (!released() && isUnavailable(await tryRelease())) await Bun.sleep(GIVE_BACK_MS);
    };
    const isAway = isFull || isUnavailable(await tryRelease());
    journal.close(new LeaseLost(held().lease));
    void (isAway ? insist() : Promise.resolve()).then(() => {
      lose(new LeaseLost(held().lease));
      // With a shared state, the release notifies all processes. Otherwise claim it here.
      if (!state.shared && !released()) turns.claim(true);
    });
    return isAway ? namingRun(err, runId) : undefined;
  }

  function lose(err: unknown): undefined {
    if (held().running) {
      log.warn({ err, run_id: runId }, 'run lost to another process');
      turns.leaseLost();
    }
    journal.close(isLeaseLost(err) ? (err as Error) : new LeaseLost(held().lease));
    deactivate();
  }
}
