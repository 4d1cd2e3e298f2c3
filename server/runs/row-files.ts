/** Files of rows between the database and a client: each is gone from the disk's folders before its first byte is sent. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SkeinError } from '../../state/errors.ts';
import type { Saved } from '../../tools/sql/engine.ts';

// Each may take 256 MiB of disk until its client has read it.
const MOST_OPEN = 4;
const PIECE = 256 * 1024;

interface RowFile {
  saved: Saved;
  body: ReadableStream<Uint8Array>;
}

export interface RowFiles {
  /** Throws OVERLOADED where too many are being sent, and what `write` throws. */
  make(write: (file: string) => Promise<Saved>): Promise<RowFile>;
}

export function openRowFiles(): RowFiles {
  let sending = 0;
  return {
    async make(write) {
      if (sending >= MOST_OPEN)
        throw new SkeinError('OVERLOADED', { detail: `${MOST_OPEN} results are being downloaded already` });
      sending++;
      try {
        const { saved, handle } = await written(write);
        return { saved, body: streamOf(handle, () => sending--) };
      } catch (error) {
        sending--;
        throw error;
      }
    },
  };
}

/** An open file lasts as long as its handle, and no longer than the process. */
async function written(
  write: (file: string) => Promise<Saved>,
): Promise<{ saved: Saved; handle: FileHandle }> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-rows-'));
  try {
    const file = join(folder, 'rows');
    const saved = await write(file);
    return { saved, handle: await open(file) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function streamOf(handle: FileHandle, closed: () => void): ReadableStream<Uint8Array> {
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    closed();
    await handle.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { bytesRead, buffer } = await handle
          .read(new Uint8Array(PIECE), 0, PIECE)
          .catch(async (error) => {
            await close();
            throw error;
          });
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        await close();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 1 },
  );
}
