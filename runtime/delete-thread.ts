/** Deletes a thread: ends what runs on it, then removes it whole. */
import type { Archive } from '../state/archive.ts';
import { SkeinError } from '../state/errors.ts';
import type { ActiveRun } from './active-run.ts';
import { type Lines, lineOf } from './lines.ts';

export interface DeletionParts {
  archive: Archive;
  active: Map<string, ActiveRun>;
  line: Lines;
}

export interface Deletion {
  /** Resolves when nothing is left of it in any file. Throws THREAD_NOT_FOUND. */
  deleteThread(owner: string, threadId: string): Promise<void>;
  /** Deletes it unless a turn runs or waits on it, and gives whether it did; its text may stay until a `scrub`. */
  expireThread(owner: string, threadId: string): Promise<boolean>;
}

// A turn that is being accepted while the line closes is not among the active ones yet: it is looked for again.
const LOOK_AGAIN_MS = 20;

export function threadDeletion({ archive, active, line }: DeletionParts): Deletion {
  /** Deletions under way, by line. */
  const going = new Map<string, Promise<void>>();

  async function remove(owner: string, threadId: string): Promise<void> {
    const name = lineOf(owner, threadId);
    const closed = line.close(name, 'The thread is being deleted');
    try {
      await emptied(name, closed.empty);
      const thread = await archive.threads.find(owner, threadId);
      if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
      await archive.removal.thread(thread.key);
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

  function once(owner: string, threadId: string): Promise<void> {
    const name = lineOf(owner, threadId);
    const removal = remove(owner, threadId).finally(() => going.delete(name));
    going.set(name, removal);
    return removal;
  }

  return {
    async deleteThread(owner, threadId) {
      const name = lineOf(owner, threadId);
      // Who asks again is told what the first one is told: when it returns, the thread is gone.
      while (going.has(name)) await going.get(name)?.catch(() => {});
      if (!(await archive.threads.find(owner, threadId))) throw new SkeinError('THREAD_NOT_FOUND');
      await (going.get(name) ?? once(owner, threadId));
      await archive.removal.scrub();
    },
    async expireThread(owner, threadId) {
      const name = lineOf(owner, threadId);
      if (going.has(name) || line.isBusy(name)) return false;
      await once(owner, threadId);
      return true;
    },
  };
}
