/** Retention: deletes data that is older than the settings allow, in small batches. */
import type { Logger } from 'pino';
import type { RetentionHour } from '../../state/cluster/retention-hour.ts';
import type { Sweeps } from '../../state/cluster/sweeps.ts';
import type { Archive } from '../../state/threads/archive.ts';
import { periodic } from '../periodic.ts';
import type { Deletion } from './deletion.ts';

export interface RetentionParts {
  removal: Archive['removal'];
  expireThread: Deletion['expireThread'];
  sweeps: Sweeps;
  retentionHour: RetentionHour;
  /** The share of all threads, from 0 to 1, that may be deleted per hour. */
  maxSharePerHour: number;
  /** The days after its last turn until a thread is deleted; undefined: threads are kept. */
  retentionDays: number | undefined;
  /** Hours for which a run's events are kept after its end. */
  eventRetentionHours: number;
  log: Logger;
  /** Returns milliseconds since 1970. */
  now?: () => number;
}

export interface Retention {
  /** Starts sweeping after half a second, then every ten minutes. */
  start(): void;
  /** Resolves when a sweep in progress has stopped. */
  stop(): Promise<void>;
  /** Runs one complete sweep, unless another server is sweeping. */
  sweep(): Promise<void>;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EVERY_MS = 600_000;
const THREADS_AT_ONCE = 20;

export function retention(parts: RetentionParts): Retention {
  const { removal, sweeps, retentionHour: hour, maxSharePerHour, log, now = Date.now } = parts;
  const sweeping = periodic(sweep, {
    everyMs: EVERY_MS,
    failed: (error) => log.error({ err: error }, 'old data cannot be deleted, will retry'),
  });

  async function sweep(): Promise<void> {
    await sweeps.runExclusively('retention', sweepAll);
  }

  async function sweepAll(): Promise<void> {
    await removal.leftovers();
    await threads();
    await events();
    while (!sweeping.stopped && (await removal.idempotencyKeys(now() - DAY))) await Bun.sleep(0);
  }

  async function threads(): Promise<void> {
    if (parts.retentionDays === undefined) return;
    const before = now() - parts.retentionDays * DAY;
    let deleted = 0;
    for (let more = true; more && !sweeping.stopped; ) {
      const expired = await removal.idleSince(before, THREADS_AT_ONCE);
      // The first `take` starts the hour of the limit, so don't call it without an expired thread.
      if (expired.length === 0) break;
      const taken = await hour.take(expired.length, maxSharePerHour);
      const deletedNow = await deleteAll(expired.slice(0, taken), before);
      if (deletedNow < taken) await hour.release(taken - deletedNow);
      deleted += deletedNow;
      if (taken < expired.length)
        log.warn(
          'more threads are past their retention than may be deleted per hour, the others are deleted later',
        );
      // Stop if nothing was deleted: threads that just became busy would be found again. The next sweep retries them.
      more = deletedNow > 0 && taken === expired.length;
    }
    if (deleted === 0) return;
    await removal.scrub();
    log.info({ threads: deleted }, 'threads past their retention were deleted');
  }

  async function deleteAll(expired: { owner: string; threadId: string }[], before: number): Promise<number> {
    let count = 0;
    for (const { owner, threadId } of expired) {
      if (!sweeping.stopped && (await parts.expireThread(owner, threadId, before))) count++;
    }
    return count;
  }

  async function events(): Promise<void> {
    const before = now() - parts.eventRetentionHours * HOUR;
    for (let from: number | null = 0; from !== null && !sweeping.stopped; ) {
      from = await removal.events(before, from);
      await Bun.sleep(0);
    }
  }

  return { start: sweeping.start, stop: sweeping.stop, sweep };
}
