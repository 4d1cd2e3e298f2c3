/** Handles a run that does not succeed: it fails, or this process releases or has lost it. */
import { isLeaseLost } from '../../../state/cluster/lease.ts';
import { isUnavailable, SkeinError } from '../../../state/errors.ts';
import type { RunEnding } from './ending.ts';
import { type ReleaseParts, runRelease } from './release-run.ts';
import { logFailure } from './run-failure.ts';

interface UnsuccessfulEndParts extends ReleaseParts {
  ending: RunEnding;
  /** Rejects with the reason if the service stops the run. */
  stopping: Promise<never>;
  /** Whether the run's changes are rolled back at its end. */
  rollback(): boolean;
}

export function unsuccessfulEnd(parts: UnsuccessfulEndParts) {
  const { ending, log, run, turn, held, released, deactivate } = parts;
  const { release, giveBack, lose } = runRelease(parts);

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
}
