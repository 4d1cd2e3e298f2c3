/** Checks whether the disk of a state file has space for the writes of a turn. */
import { statfs, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asStorageFull, SkeinError } from '../../errors.ts';

const NEEDED_BYTES = 256 * 1024;

/**
 * The returned function rejects with STORAGE_FULL if there is no space. It only writes a test file if the file system reports
 * little free space, or if `isFull` returns true after a failed write: the reported free space ignores quotas.
 */
export function diskSpace(path: string, isFull: () => boolean): () => Promise<void> {
  let tried: Promise<void> | undefined;
  return async () => {
    if (!isFull() && (await freeBytes(dirname(path))) >= NEEDED_BYTES) return;
    tried ??= tryWriting(`${path}-room`).finally(() => {
      tried = undefined;
    });
    await tried;
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function tryWriting(path: string): Promise<void> {
  try {
    await writeFile(path, new Uint8Array(NEEDED_BYTES).fill(1), { flush: true });
  } catch (error) {
    throw asStorageFull(error) ?? new SkeinError('STORAGE_FULL', { retryAfter: 5, cause: error });
  } finally {
    await unlink(path).catch(() => {});
  }
}
