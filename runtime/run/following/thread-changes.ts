/** Reports changes of the newest threads, to keep displayed lists up to date. */
import type { Archive, StoredThread } from '../../../state/threads/archive.ts';
import type { ThreadActivity } from '../thread-activity.ts';

export interface ThreadChangesParts {
  archive: { threads: Pick<Archive['threads'], 'list'> };
  activity: Pick<ThreadActivity, 'watch' | 'closed'>;
  /** The polling interval in milliseconds, for changes of other processes. */
  lookAgain: number;
}

// One page of the list. A thread further down moves to the top when it changes.
const WATCHED = 50;
// Waits for further changes, because turns of many threads often start and end together.
const GATHER_MS = 100;

/**
 * Yields `[]`, then the public ids of threads that have changed or were deleted, whenever there are some. `owner` null:
 * threads of all callers. Ends when `signal` aborts or the service stops.
 */
export async function* threadChanges(
  { archive, activity, lookAgain }: ThreadChangesParts,
  { owner, signal }: { owner: string | null; signal: AbortSignal },
): AsyncGenerator<string[]> {
  let change = Promise.withResolvers<void>();
  const wake = () => change.resolve();
  const leave = activity.watch(undefined, wake);
  signal.addEventListener('abort', wake, { once: true });
  try {
    let known = await read();
    yield [];
    while (!signal.aborted && !activity.closed) {
      await within(change.promise, lookAgain);
      await Bun.sleep(GATHER_MS);
      if (signal.aborted) return;
      change = Promise.withResolvers();
      const now = await read();
      const changed = [...new Map([...known, ...now])].filter(
        ([key]) => known.get(key)?.stamp !== now.get(key)?.stamp,
      );
      const ids = new Set(changed.map(([, { threadId }]) => threadId));
      known = now;
      if (ids.size > 0) yield [...ids];
    }
  } finally {
    signal.removeEventListener('abort', wake);
    leave();
  }

  async function read(): Promise<Map<string, { threadId: string; stamp: string }>> {
    const { items } = await archive.threads.list({ owner }, { limit: WATCHED });
    return new Map(
      items.map((thread) => [thread.key, { threadId: thread.threadId, stamp: stampOf(thread) }]),
    );
  }
}

function stampOf({ status, title, updatedAt, messageCount, head }: StoredThread): string {
  return JSON.stringify([status, title, updatedAt, messageCount, head]);
}

async function within(promise: Promise<void>, milliseconds: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  await Promise.race([promise, late.promise]);
  clearTimeout(timer);
}
