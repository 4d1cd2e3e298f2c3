/** Runs trials, such as dry runs: each needs a slot and has the time limits of a run; a caller may have only a few at a time. */
import { SkeinError } from '../../state/errors.ts';
import type { LimitsOptions } from '../options.ts';
import type { SlotRequest, Slots } from '../queue/slots.ts';
import { startDeadline, waitForSlot } from '../queue/time-limits.ts';

export interface TrialCaller {
  owner: string;
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
}

export interface TrialQueue {
  /**
   * Calls `work` once a slot is granted; `work` must stop when its `signal` aborts. Throws RUN_TIMEOUT, RUN_CANCELLED,
   * SHUTTING_DOWN, OVERLOADED if the caller already has the maximum of trials in progress, and INVALID_REQUEST if this
   * process doesn't execute runs.
   */
  run<T>(caller: TrialCaller, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Resolves when no trial is in progress. */
  settled(): Promise<unknown>;
  stop(): void;
}

export interface TrialQueueParts {
  /** Names a trial in errors: `dry run`. */
  what: string;
  /** Completes "this server cannot ..." in errors: `try a prompt file`. */
  purpose: string;
  /** Trials of one caller at the same time (default: 1). */
  perCaller?: number;
  limits: LimitsOptions;
  slots: Pick<Slots, 'request' | 'waiting' | 'size'>;
}

export function trialQueue({ what, purpose, perCaller = 1, limits, slots }: TrialQueueParts): TrialQueue {
  const active = new Map<AbortController, { owner: string; ended: Promise<unknown> }>();

  function requestSlot(owner: string): SlotRequest {
    if (slots.size === 0) throw new SkeinError('INVALID_REQUEST', noRoom(purpose));
    const own = [...active.values()].filter((trial) => trial.owner === owner);
    if (own.length >= perCaller) {
      const message = `Another ${what} of yours is under way, try again when it has ended`;
      throw new SkeinError('OVERLOADED', { message, retryAfter: 5 });
    }
    if (slots.waiting() >= limits.queued_runs) throw new SkeinError('OVERLOADED', { retryAfter: 1 });
    return slots.request();
  }

  async function runInSlot<T>(
    granted: Promise<void>,
    stopper: AbortController,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    await waitForSlot(granted, limits.queue_seconds, stopper.signal);
    const timer = startDeadline(stopper, limits.run_seconds);
    try {
      return await work(stopper.signal);
    } catch (error) {
      // Stop the other parts of the trial, whose results nothing will use.
      stopper.abort(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async run({ owner, signal }, work) {
      const slot = requestSlot(owner);
      const stopper = new AbortController();
      const cancel = () => stopper.abort(new SkeinError('RUN_CANCELLED'));
      if (signal.aborted) cancel();
      signal.addEventListener('abort', cancel, { once: true });
      const ended = runInSlot(slot.granted, stopper, work).finally(() => {
        signal.removeEventListener('abort', cancel);
        active.delete(stopper);
        slot.release();
      });
      active.set(stopper, { owner, ended });
      return ended;
    },
    settled: () => Promise.allSettled(Array.from(active.values(), ({ ended }) => ended)),
    stop() {
      for (const stopper of active.keys()) stopper.abort(new SkeinError('SHUTTING_DOWN', { retryAfter: 5 }));
    },
  };
}

function noRoom(purpose: string) {
  return {
    message: `This server doesn't execute runs, so it cannot ${purpose}`,
    detail: 'cluster.role is front; send the request to a server with the role all',
  };
}
