/** Prunes threads whose time to live has expired: deletes them, or their history except the newest state. */
import type { Logger } from 'pino';
import type { Sweeps } from '../../state/cluster/sweeps.ts';
import type { Archive, ExpiredThread } from '../../state/threads/archive.ts';
import type { PruneStrategy } from '../../state/threads/threads.ts';
import { type Periodic, periodic } from '../periodic.ts';
import type { Deletion } from './deletion.ts';

export interface ThreadExpiryParts {
  removal: Pick<Archive['removal'], 'expired' | 'history' | 'scrub'>;
  expireThread: Deletion['expireThread'];
  sweeps: Sweeps;
  /** Default: 5; at most a day. */
  intervalMinutes?: number | undefined;
  log: Logger;
}

const MINUTE_MS = 60_000;
const USUAL_MINUTES = 5;
const DAY_MINUTES = 1_440;
const THREADS_AT_ONCE = 20;

export function threadExpiry({
  removal,
  expireThread,
  sweeps,
  intervalMinutes = USUAL_MINUTES,
  log,
}: ThreadExpiryParts): Periodic {
  const sweeping = periodic(() => sweeps.runExclusively('thread expiry', sweep), {
    everyMs: Math.min(intervalMinutes, DAY_MINUTES) * MINUTE_MS,
    failed: (error) => log.error({ err: error }, 'expired threads cannot be deleted, will retry'),
  });

  async function sweep(): Promise<void> {
    const counts: Record<PruneStrategy, number> = { delete: 0, keep_latest: 0 };
    for (let more = true; more && !sweeping.stopped; ) {
      more = false;
      for (const thread of await removal.expired(Date.now(), THREADS_AT_ONCE)) {
        if (sweeping.stopped || !(await pruned(thread))) continue;
        counts[thread.strategy]++;
        // Continue only if a thread was pruned: one that just became busy would be found again. The next sweep retries it.
        more = true;
      }
    }
    if (counts.delete > 0) await removal.scrub();
    if (counts.delete + counts.keep_latest > 0)
      log.info({ threads: counts }, 'threads past their time to live were pruned');
  }

  async function pruned({ owner, threadId, key, strategy, updatedAt }: ExpiredThread): Promise<boolean> {
    if (strategy === 'keep_latest') return removal.history(key);
    return expireThread(owner, threadId, updatedAt + 1);
  }

  return sweeping;
}
