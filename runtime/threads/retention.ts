/** Retention: deletes what is older than the settings say, a little at a time. */
import type { Logger } from 'pino';
import type { Archive } from '../../state/archive.ts';
import type { RetentionHour } from '../../state/retention-hour.ts';
import type { Sweeps } from '../../state/sweeps.ts';
import { periodic } from '../periodic.ts';
import type { Deletion } from './deletion.ts';

export interface RetentionParts {
  removal: Archive['removal'];
  expireThread: Deletion['expireThread'];
  sweeps: Sweeps;
  retentionHour: RetentionHour;
  /** Of all threads, that may be deleted in an hour. */
  maxSharePerHour: number;
  /** Days after its last turn at which a thread is deleted; undefined: threads are kept. */
  retentionDays: number | undefined;
  /** Hours after its end for which a run's events are kept. */
  eventRetentionHours: number;
  log: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface Retention {
  /** Sweeps soon, then every ten minutes. */
  start(): void;
  /** Resolves when a sweep that is under way has stopped. */
  stop(): Promise<void>;
  /** One sweep, whole, unless another server is at it. */
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
    failed: (error) => log.error({ err: error }, 'old data cannot be deleted, it is tried again later'),
  });

  async function sweep(): Promise<void> {
    await sweeps.alone('retention', sweepAll);
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
      // An hour begins with the first thread that is to go.
      if (expired.length === 0) break;
      const taken = await hour.take(expired.length, maxSharePerHour);
      const gone = await deleteAll(expired.slice(0, taken), before);
      if (gone < taken) await hour.giveBack(taken - gone);
      deleted += gone;
      if (taken < expired.length)
        log.warn('more threads are past their retention than may be deleted in an hour, the others wait');
      // A thread that became busy just now is met again by the next sweep.
      more = gone > 0 && taken === expired.length;
    }
    if (deleted === 0) return;
    await removal.scrub();
    log.info({ threads: deleted }, 'threads past their retention are deleted');
  }

  async function deleteAll(expired: { owner: string; threadId: string }[], before: number): Promise<number> {
    let gone = 0;
    for (const { owner, threadId } of expired) {
      if (!sweeping.stopped && (await parts.expireThread(owner, threadId, before))) gone++;
    }
    return gone;
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
