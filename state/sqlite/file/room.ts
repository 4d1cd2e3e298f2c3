/** Whether the disk under a state file has room for what a turn writes. */
import { statfs, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SkeinError, storageFull } from '../../errors.ts';

const NEEDED_BYTES = 256 * 1024;

/**
 * The function rejects with STORAGE_FULL where there is none. A file is written for it only where the file system says that
 * little is left, or `isFull`, a write that failed, says so: quotas and reserved blocks are not in what it says.
 */
export function diskRoom(path: string, isFull: () => boolean): () => Promise<void> {
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
    throw storageFull(error) ?? new SkeinError('STORAGE_FULL', { retryAfter: 5, cause: error });
  } finally {
    await unlink(path).catch(() => {});
  }
}
