/** Deletes a thread: ends what runs on it, then removes it whole. */
import type { Archive } from '../../state/archive.ts';
import { SkeinError } from '../../state/errors.ts';
import type { KeptCalls } from '../journal/kept-calls.ts';
import { type Lines, lineOf } from '../queue/thread-queue.ts';
import type { ActiveRun } from '../run/active-run.ts';

export interface DeletionParts {
  archive: Archive;
  active: Map<string, ActiveRun>;
  line: Lines;
  keptCalls: Pick<KeptCalls, 'forget'>;
}

export interface Deletion {
  /** Resolves when nothing is left of it in any file. Throws THREAD_NOT_FOUND. */
  deleteThread(owner: string, threadId: string): Promise<void>;
  /**
   * Deletes it unless a turn runs or waits on it, or its last was not before `time`; gives whether it did. Its text may
   * stay in the files until a `scrub`.
   */
  expireThread(owner: string, threadId: string, time: number): Promise<boolean>;
}

// A turn that is being accepted while the line closes is not among the active ones yet: it is looked for again.
const LOOK_AGAIN_MS = 20;

export function threadDeletion({
  archive,
  active,
  line,
  keptCalls,
}: DeletionParts): Deletion & { settled(): Promise<unknown> } {
  /** Deletions under way, by line. */
  const going = new Map<string, Promise<boolean>>();

  async function remove(owner: string, threadId: string, before: number): Promise<boolean> {
    const name = lineOf(owner, threadId);
    const closed = line.close(name, 'The thread is being deleted');
    try {
      const thread = await archive.threads.find(owner, threadId);
      if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
      await emptied(name, closed.empty);
      if (thread.updatedAt >= before) return false;
      await archive.removal.thread(thread.key);
      keptCalls.forget(name);
      return true;
    } finally {
      closed.open();
    }
  }

  async function emptied(name: string, empty: () => boolean): Promise<void> {
    while (!empty()) {
      for (const run of active.values()) if (run.lineKey === name) run.cancel();
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  function once(owner: string, threadId: string, before = Number.POSITIVE_INFINITY): Promise<boolean> {
    const name = lineOf(owner, threadId);
    const removal = remove(owner, threadId, before).finally(() => going.delete(name));
    going.set(name, removal);
    return removal;
  }

  return {
    /** Resolves when none is under way. */
    settled: () => Promise.allSettled(going.values()),
    async deleteThread(owner, threadId) {
      const name = lineOf(owner, threadId);
      // Who asks while it is being deleted finds it gone, and is told so only then.
      for (let other = going.get(name); other; other = going.get(name)) await other.catch(() => {});
      await once(owner, threadId);
      await archive.removal.scrub();
    },
    async expireThread(owner, threadId, time) {
      const name = lineOf(owner, threadId);
      return !going.has(name) && !line.isBusy(name) && (await once(owner, threadId, time));
    },
  };
}
