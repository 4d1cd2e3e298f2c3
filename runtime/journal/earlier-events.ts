/** What an earlier process has stored of a run's log, read page by page: a log may be longer than memory is large. */
import type { Events } from '../../state/events.ts';
import { type RunProgress, runProgress } from './run-progress.ts';

export interface EarlierEvents {
  progress: RunProgress;
  /** The number of the last entry, and of the last one that chat shows; 0 if there is none. */
  last: number;
  chat: number;
}

// Batches to read at once, of at most about 16 entries of 4 KB each.
const PAGE = 16;

export async function earlierEvents(events: Pick<Events, 'read'>, runId: string): Promise<EarlierEvents> {
  const progress = runProgress();
  let last = 0;
  let chat = 0;
  for (;;) {
    const batches = await events.read(runId, { entry: last }, PAGE);
    for (const batch of batches) {
      for (const entry of batch.entries) progress.restore(entry);
      last = batch.last;
      chat = batch.chat.last;
    }
    if (batches.length < PAGE) return { progress, last, chat };
  }
}
