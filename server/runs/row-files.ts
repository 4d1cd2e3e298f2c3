/** Temporary files of query results. Each is unlinked before its first byte is sent, so a crash leaves no files behind. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SkeinError } from '../../state/errors.ts';
import type { Saved } from '../../tools/sql/engine.ts';

// Each file may take up to 256 MiB of disk until its client has read it.
const MAX_OPEN = 4;
const CHUNK_BYTES = 256 * 1024;

interface RowFile {
  saved: Saved;
  body: ReadableStream<Uint8Array>;
}

export interface RowFiles {
  /** Streams the file that `write` creates. Throws OVERLOADED if 4 files are being sent, and errors of `write`. */
  create(write: (file: string) => Promise<Saved>): Promise<RowFile>;
}

export function openRowFiles(): RowFiles {
  let sending = 0;
  return {
    async create(write) {
      if (sending >= MAX_OPEN)
        throw new SkeinError('OVERLOADED', { detail: `${MAX_OPEN} results are already being downloaded` });
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

/** Returns an open handle of the deleted file. Its disk space is freed when the handle is closed or the process ends. */
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
          .read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES)
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
