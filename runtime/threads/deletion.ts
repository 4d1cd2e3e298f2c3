/** Deletes a thread: ends what runs on it, then removes it whole. */
import type { Archive } from '../../state/archive.ts';
import type { Coordination } from '../../state/coordination.ts';
import { SkeinError } from '../../state/errors.ts';
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
   * Resolves when nothing is left of it in any file; without `scrub`, its text may stay in the files until the next one.
   * Throws THREAD_NOT_FOUND.
   */
  deleteThread(owner: string, threadId: string, options?: { scrub: boolean }): Promise<void>;
  /**
   * Deletes it unless a turn runs or waits on it, or its last was not before `time`; gives whether it did. Its text may
   * stay in the files until a `scrub`.
   */
  expireThread(owner: string, threadId: string, time: number): Promise<boolean>;
}

// A run that is being accepted is not among the active ones yet, and an end that could not be written is tried again.
const LOOK_AGAIN_MS = 20;

export function threadDeletion({
  archive,
  coordination,
  active,
  recordedCalls,
}: DeletionParts): Deletion & { settled(): Promise<unknown> } {
  /** Deletions under way, by owner and thread. */
  const going = new Map<string, Promise<unknown>>();

  async function remove(owner: string, threadId: string): Promise<void> {
    const thread = await archive.threads.find(owner, threadId);
    if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
    try {
      await emptied(thread.key);
      await archive.removal.thread(thread.key);
    } catch (error) {
      await coordination.openThread(thread.key);
      throw error;
    }
    recordedCalls.forget(thread.key);
  }

  async function emptied(key: string): Promise<void> {
    for (;;) {
      const left = await coordination.closeThread(key);
      if (left.length === 0) return;
      await Promise.allSettled(left.map((runId) => active.get(runId)?.ended));
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  async function expire(owner: string, threadId: string, time: number): Promise<boolean> {
    const thread = await archive.threads.find(owner, threadId);
    const gone = thread !== undefined && (await archive.removal.expire(thread.key, time));
    if (gone) recordedCalls.forget(thread.key);
    return gone;
  }

  function noted<T>(name: string, work: Promise<T>): Promise<T> {
    going.set(name, work);
    return work.finally(() => going.delete(name));
  }

  return {
    /** Resolves when none is under way. */
    settled: () => Promise.allSettled(going.values()),
    async deleteThread(owner, threadId, { scrub } = { scrub: true }) {
      const name = JSON.stringify([owner, threadId]);
      // Who asks while it is being deleted finds it gone, and is told so only then.
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
