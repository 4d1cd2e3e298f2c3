/** Deletes a thread: stops its runs, then removes all of its data. */

import { SkeinError } from '../../state/errors.ts';
import type { Archive } from '../../state/threads/archive.ts';
import type { Coordination } from '../../state/threads/coordination.ts';
import type { RecordedCalls } from '../journal/recorded-calls.ts';
import type { ActiveRun } from '../run/active-run.ts';

export interface DeletionParts {
  archive: Archive;
  active: Map<string, ActiveRun>;
  coordination: Coordination;
  recordedCalls: Pick<RecordedCalls, 'forget'>;
}

export interface Deletion {
  /**
   * Resolves when no file contains data of the thread. Without `scrub`, deleted text may remain in the database's files
   * until the next scrub. Throws THREAD_NOT_FOUND.
   */
  deleteThread(owner: string, threadId: string, options?: { scrub: boolean }): Promise<void>;
  /**
   * Deletes the thread unless it has an unfinished turn or was used at or after `time` (milliseconds since 1970). Returns
   * whether it did. Deleted text may remain in the database's files until the next scrub.
   */
  expireThread(owner: string, threadId: string, time: number): Promise<boolean>;
}

// The runs are looked up again after this time: one that is being accepted isn't active yet, and an end that could not be
// stored is retried.
const LOOK_AGAIN_MS = 20;

export function threadDeletion({
  archive,
  coordination,
  active,
  recordedCalls,
}: DeletionParts): Deletion & { settled(): Promise<unknown> } {
  /** Deletions in progress, by owner and thread. */
  const going = new Map<string, Promise<unknown>>();

  async function remove(owner: string, threadId: string): Promise<void> {
    const thread = await archive.threads.find(owner, threadId);
    if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
    try {
      do await emptied(thread.key);
      while (!(await archive.removal.thread(thread.key)));
    } catch (error) {
      await coordination.openThread(thread.key);
      throw error;
    }
    recordedCalls.forget(thread.key);
  }

  async function emptied(key: string): Promise<void> {
    for (;;) {
      const unfinished = await coordination.closeThread(key);
      if (unfinished.length === 0) return;
      await Promise.allSettled(unfinished.map((runId) => active.get(runId)?.ended));
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  async function expire(owner: string, threadId: string, time: number): Promise<boolean> {
    const thread = await archive.threads.find(owner, threadId);
    const deleted = thread !== undefined && (await archive.removal.expire(thread.key, time));
    if (deleted) recordedCalls.forget(thread.key);
    return deleted;
  }

  function noted<T>(name: string, work: Promise<T>): Promise<T> {
    going.set(name, work);
    return work.finally(() => going.delete(name));
  }

  return {
    /** Resolves when no deletion is in progress. */
    settled: () => Promise.allSettled(going.values()),
    async deleteThread(owner, threadId, { scrub } = { scrub: true }) {
      const name = JSON.stringify([owner, threadId]);
      // Wait for a deletion of the same thread, so that this call only returns when the thread is deleted.
      for (let other = going.get(name); other; other = going.get(name)) await other.catch(() => {});
      await noted(name, remove(owner, threadId));
      if (scrub) await archive.removal.scrub();
    },
    async expireThread(owner, threadId, time) {
      const name = JSON.stringify([owner, threadId]);
      return !going.has(name) && (await noted(name, expire(owner, threadId, time)));
    },
  };
}
