/** Retention: deletes what is older than the settings say, a little at a time. */
import type { Logger } from 'pino';
import type { Archive } from '../../state/archive.ts';
import type { Deletion } from './deletion.ts';

export interface RetentionParts {
  removal: Archive['removal'];
  expireThread: Deletion['expireThread'];
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
  /** One sweep, whole. */
  sweep(): Promise<void>;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FIRST_MS = 500;
const EVERY_MS = 600_000;
const THREADS_AT_ONCE = 20;

export function retention(parts: RetentionParts): Retention {
  const { removal, log, now = Date.now } = parts;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let stopped = false;

  async function sweep(): Promise<void> {
    await removal.leftovers();
    await threads();
    await events();
    while (!stopped && (await removal.idempotencyKeys(now() - DAY))) await Bun.sleep(0);
    while (!stopped && (await removal.items(now()))) await Bun.sleep(0);
  }

  async function threads(): Promise<void> {
    if (parts.retentionDays === undefined) return;
    const before = now() - parts.retentionDays * DAY;
    let deleted = 0;
    for (let more = true; more && !stopped; ) {
      const expired = await removal.idleSince(before, THREADS_AT_ONCE);
      const gone = await deleteAll(expired, before);
      deleted += gone;
      // A thread that became busy just now is met again by the next sweep.
      more = gone > 0;
    }
    if (deleted === 0) return;
    await removal.scrub();
    log.info({ threads: deleted }, 'threads past their retention are deleted');
  }

  async function deleteAll(expired: { owner: string; threadId: string }[], before: number): Promise<number> {
    let gone = 0;
    for (const { owner, threadId } of expired) {
      if (!stopped && (await parts.expireThread(owner, threadId, before))) gone++;
    }
    return gone;
  }

  async function events(): Promise<void> {
    const before = now() - parts.eventRetentionHours * HOUR;
    for (let from: number | null = 0; from !== null && !stopped; ) {
      from = await removal.events(before, from);
      await Bun.sleep(0);
    }
  }

  function later(milliseconds: number): void {
    timer = setTimeout(() => {
      sweeping = sweep()
        .catch((error) => log.error({ err: error }, 'old data cannot be deleted, it is tried again later'))
        .finally(() => {
          if (!stopped) later(EVERY_MS);
        });
    }, milliseconds);
  }

  return {
    start: () => later(FIRST_MS),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
    },
    sweep,
  };
}
