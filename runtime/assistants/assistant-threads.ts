/** Deletes the threads of an assistant that is being deleted. */

import { SkeinError } from '../../state/errors.ts';
import type { ThreadArchive } from '../../state/threads/archive.ts';
import type { Deletion } from '../threads/deletion.ts';

export interface AssistantThreadsParts {
  threads: Pick<ThreadArchive, 'search'>;
  runtime: Pick<Deletion, 'deleteThread'>;
}

const AT_A_TIME = 100;

/** A thread belongs to the assistant whose id is in its metadata as `assistant_id`. */
export function assistantThreads({ threads, runtime }: AssistantThreadsParts) {
  async function remove(owner: string, threadId: string): Promise<void> {
    await runtime.deleteThread(owner, threadId).catch((error: unknown) => {
      const isGone = error instanceof SkeinError && error.code === 'THREAD_NOT_FOUND';
      if (!isGone) throw error;
    });
  }

  return async (owner: string, assistantId: string): Promise<void> => {
    const metadata = { assistant_id: assistantId };
    const order = { sortBy: 'created_at', descending: false } as const;
    for (;;) {
      const items = await threads.search({ owner, metadata, ...order, limit: AT_A_TIME, offset: 0 });
      if (items.length === 0) return;
      for (const { threadId } of items) await remove(owner, threadId);
    }
  };
}
