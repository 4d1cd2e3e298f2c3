/** Restores a run's progress from the log that an earlier process stored, page by page: a log may not fit in memory. */
import type { Events } from '../../state/threads/events.ts';
import { type RunProgress, runProgress } from './run-progress.ts';

export interface EarlierEvents {
  progress: RunProgress;
  /** The numbers of the last entry and of the last chat event; 0 for an empty log. */
  last: number;
  chat: number;
}

// The number of batches per read. A batch has at most about 16 entries of 4 KB.
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
