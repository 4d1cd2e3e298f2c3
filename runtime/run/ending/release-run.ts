/**
 * Releases a run that has not ended, so that it continues at the next start or in another process: when the service stops
 * (SIGTERM), when the state can't be written, and when the lease is lost.
 */
import type { Logger } from 'pino';
import { isLeaseLost, LeaseLost } from '../../../state/cluster/lease.ts';
import { asUnavailable, isUnavailable, type SkeinError } from '../../../state/errors.ts';
import type { State } from '../../../state/state.ts';
import type { Claim } from '../../../state/threads/coordination.ts';
import type { RunLog } from '../../journal/run-log.ts';
import type { QueuedRun, RunQueue } from '../../queue/run-queue.ts';
import type { AcceptedRun } from '../accepted-run.ts';
import { namingRun } from '../following/remote-runs.ts';
import type { Held } from '../held.ts';

export interface ReleaseParts {
  state: State;
  turns: RunQueue;
  journal: RunLog;
  log: Logger;
  run: AcceptedRun;
  /** Its place in the run queue, or the claim if the run could start immediately. */
  turn: QueuedRun | Claim;
  /** What the run holds now. */
  held(): Held;
  /** The reason if the service stops the run. */
  released(): SkeinError | undefined;
  /** Removes the run from the active runs of this process. */
  deactivate(): void;
}

const GIVE_BACK_MS = 500;

export function runRelease(parts: ReleaseParts) {
  const { state, turns, journal, log, run, turn, held, released, deactivate } = parts;
  const { runId } = run;

  return { release, giveBack, lose };

  /** The service stops. */
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
