/** Deletes threads, or their history except the newest state. */
import type { Archive } from '../../state/threads/archive.ts';
import type { PruneStrategy } from '../../state/threads/threads.ts';
import type { Deletion } from './deletion.ts';

export interface PruningParts {
  archive: Pick<Archive, 'threads' | 'removal'>;
  expireThread: Deletion['expireThread'];
}

/** Returns the number of pruned threads. Skips unknown threads and those with an unfinished run. */
export async function pruneThreads(
  { archive, expireThread }: PruningParts,
  owner: string,
  { threadIds, strategy }: { threadIds: string[]; strategy: PruneStrategy },
): Promise<number> {
  let pruned = 0;
  for (const threadId of new Set(threadIds)) {
    if (strategy === 'delete') {
      if (await expireThread(owner, threadId, Number.MAX_SAFE_INTEGER)) pruned++;
      continue;
    }
    const thread = await archive.threads.find(owner, threadId);
    if (thread && (await archive.removal.history(thread.key))) pruned++;
  }
  if (strategy === 'delete' && pruned > 0) await archive.removal.scrub();
  return pruned;
}
