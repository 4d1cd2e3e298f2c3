/** The retention note at the start: how many threads will be deleted, before the first one is. */

import { HOUR_MS, remainingDeletions } from '../../../state/cluster/retention-hour.ts';
import type { ChatHistoryOptions } from '../../../state/options.ts';
import type { Removal } from '../../../state/threads/archive.ts';

const DAY_MS = 24 * HOUR_MS;

/** Undefined if threads are kept. */
export async function retentionNote(
  removal: Pick<Removal, 'countIdle'>,
  { retention_days: days, retention_max_share_per_hour: share }: ChatHistoryOptions,
): Promise<string | undefined> {
  if (days === undefined) return undefined;
  const { idle, threads } = await removal.countIdle(Date.now() - days * DAY_MS);
  const most = remainingDeletions({ threads, deleted: 0 }, share);
  return `${idle} of ${threads} threads had their last turn more than ${days} days ago; they will be deleted, at most ${most} an hour`;
}
