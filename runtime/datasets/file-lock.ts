/** Serializes changes to a file: within this process, and by a lock file across the servers that share the folder. */
import { open, stat, unlink } from 'node:fs/promises';
import { SkeinError } from '../../state/errors.ts';

export type WithFileLock = <T>(lock: string, work: () => Promise<T>) => Promise<T>;

const POLL_MS = 25;
const MAX_WAIT_MS = 10_000;
// A change takes milliseconds, so an older lock was left behind by a process that was killed.
const STALE_MS = 5_000;

/** `lock`: the path of the lock file. Throws OVERLOADED if the lock isn't free within 10 s. */
export function fileLocks(): WithFileLock {
  const last = new Map<string, Promise<unknown>>();

  return async (lock, work) => {
    const before = last.get(lock) ?? Promise.resolve();
    const mine = before.then(() => locked(lock, work));
    const ended = mine.catch(() => {});
    last.set(lock, ended);
    try {
      return await mine;
    } finally {
      if (last.get(lock) === ended) last.delete(lock);
    }
  };
}

async function locked<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const until = Date.now() + MAX_WAIT_MS;
  while (!(await tryLock(lock))) {
    if (Date.now() > until)
      throw new SkeinError('OVERLOADED', {
        message: 'Other requests are changing this dataset',
        retryAfter: 1,
      });
    await Bun.sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await unlink(lock).catch(() => {});
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx');
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const found = await stat(lock).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > STALE_MS) await unlink(lock).catch(() => {});
    return false;
  }
}
