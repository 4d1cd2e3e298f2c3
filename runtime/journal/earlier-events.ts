/** What an earlier process has stored of a run's events, read page by page: a log may be longer than memory is large. */
import type { Events } from '../../state/events.ts';
import { type RunProgress, runProgress } from './run-progress.ts';

export interface EarlierEvents {
  progress: RunProgress;
  /** The number of the last one; 0 if there is none. */
  last: number;
}

// Batches to read at once, of at most 16 events of about 4 KB each.
const PAGE = 16;

export async function earlierEvents(events: Pick<Events, 'read'>, runId: string): Promise<EarlierEvents> {
  const progress = runProgress();
  let last = 0;
  for (;;) {
    const batches = await events.read(runId, last, PAGE);
    for (const batch of batches) {
      for (const event of batch.events) progress.restore(event);
      last = batch.last;
    }
    if (batches.length < PAGE) return { progress, last };
  }
}
