/** Where callers try something out: few things at a time for each, in the place of a run, under the limits of one. */
import { SkeinError } from '../../state/errors.ts';
import type { LimitsOptions } from '../options.ts';
import type { Place, Slots } from '../queue/slots.ts';
import { deadline, patience } from '../queue/time-limits.ts';

export interface TrialCaller {
  owner: string;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

export interface TrialRoom {
  /**
   * Does `work` once it has a place; `signal` is the reason why it must stop. Throws RUN_TIMEOUT, RUN_CANCELLED and
   * SHUTTING_DOWN, OVERLOADED while as many trials of the caller are under way as may be, and INVALID_REQUEST where this process
   * executes nothing.
   */
  enter<T>(caller: TrialCaller, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Resolves when none is under way. */
  settled(): Promise<unknown>;
  stop(): void;
}

export interface TrialRoomParts {
  /** As in `dry run`. */
  what: string;
  /** As in `try a prompt file`. */
  purpose: string;
  /** Trials of one caller at the same time (default: 1). */
  atOnce?: number;
  limits: LimitsOptions;
  slots: Pick<Slots, 'enter' | 'waiting' | 'most'>;
}

export function trialRoom({ what, purpose, atOnce = 1, limits, slots }: TrialRoomParts): TrialRoom {
  const active = new Map<AbortController, Promise<unknown>>();
  const counts = new Map<string, number>();

  /** It takes the place of one run among those of all. */
  function placeOf(owner: string): Place {
    if (slots.most === 0) throw new SkeinError('INVALID_REQUEST', noRoom(purpose));
    const count = counts.get(owner) ?? 0;
    if (count >= atOnce) {
      const message = `Another ${what} of yours is under way, try again when it has ended`;
      throw new SkeinError('OVERLOADED', { message, retryAfter: 5 });
    }
    if (slots.waiting() >= limits.queued_runs) throw new SkeinError('OVERLOADED', { retryAfter: 1 });
    counts.set(owner, count + 1);
    const place = slots.enter();
    return {
      ...place,
      leave() {
        const left = (counts.get(owner) ?? 1) - 1;
        if (left > 0) counts.set(owner, left);
        else counts.delete(owner);
        place.leave();
      },
    };
  }

  async function inPlace<T>(
    ready: Promise<void>,
    stopper: AbortController,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    await patience(ready, limits.queue_seconds, stopper.signal);
    const timer = deadline(stopper, limits.run_seconds);
    try {
      return await work(stopper.signal);
    } catch (error) {
      // What else is under way must not go on for nobody.
      stopper.abort(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async enter({ owner, signal }, work) {
      const place = placeOf(owner);
      const stopper = new AbortController();
      const leave = () => stopper.abort(new SkeinError('RUN_CANCELLED'));
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { once: true });
      const ended = inPlace(place.ready, stopper, work).finally(() => {
        signal.removeEventListener('abort', leave);
        active.delete(stopper);
        place.leave();
      });
      active.set(stopper, ended);
      return ended;
    },
    settled: () => Promise.allSettled(active.values()),
    stop() {
      for (const stopper of active.keys()) stopper.abort(new SkeinError('SHUTTING_DOWN', { retryAfter: 5 }));
    },
  };
}

function noRoom(purpose: string) {
  return {
    message: `This server executes nothing, so it cannot ${purpose}`,
    detail: 'cluster.role is front; ask a server with the role all',
  };
}
