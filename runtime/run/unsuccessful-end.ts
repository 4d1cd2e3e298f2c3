/** How a run ends otherwise than well: it fails, is released for the next start, is given back, or is lost. */
import type { Logger } from 'pino';
import type { RunSaver } from '../../state/checkpoints.ts';
import type { Claim } from '../../state/coordination.ts';
import { isUnavailable, SkeinError, unavailable } from '../../state/errors.ts';
import { isLeaseLost, type Lease, LeaseLost } from '../../state/lease.ts';
import type { State } from '../../state/state.ts';
import type { Thread } from '../../state/threads.ts';
import type { RunLog } from '../journal/run-log.ts';
import type { QueuedRun, RunQueue } from '../queue/run-queue.ts';
import type { AcceptedRun } from './accepted-run.ts';
import type { RunEnding } from './ending.ts';
import { namingRun } from './following/remote-runs.ts';
import { logFailure } from './run-failure.ts';

/** What a run holds: while it waits, the right to end it; then the thread; and finally what its graph writes to. */
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
  /** Its turn; if it has already come, the claim itself. */
  turn: QueuedRun | Claim;
  /** What it holds now. */
  held(): Held;
  /** Why the service stops it; undefined while it does not. */
  released(): SkeinError | undefined;
  /** Whether its work is undone at its end. */
  rollback(): boolean;
  /** It is no longer a run of this process. */
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
      // Its turn came while it was being given up.
      await turn.claimed;
      await ending.fail(error, held, { written, rollback: parts.rollback() });
    }
  }

  async function release(reason: SkeinError): Promise<SkeinError> {
    if ('dequeue' in turn) turn.dequeue();
    // If this can't be written, the next start counts another attempt.
    if (held().running) {
      await turns.release(held().lease).catch((err) => log.error({ err, run_id: runId }, 'run not released'));
    }
    journal.close(reason);
    deactivate();
    return reason;
  }

  /**
   * The database was away for too long, or has no room. The run continues where it is claimed next, in this process or
   * another one; its caller gets an error that names it.
   */
  async function giveBack(err: unknown): Promise<unknown> {
    log.warn({ err, run_id: runId }, 'run given back, because the state cannot be written now');
    // Where a small write has room and a turn's has none, it would be run again and again.
    const isFull = unavailable(err)?.code === 'STORAGE_FULL';
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
      // Where others share the state they are told that it is free.
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
