/** Syncs SQLite's write-ahead log to disk, without blocking the event loop if the disk is slow. */
import { closeSync, fdatasync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { asStorageFull } from '../../errors.ts';

export interface LogSync {
  /** Resolves when all earlier writes to the log are on disk. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * Syncs of a fast disk are synchronous, because passing a sync to another thread and back takes as long as the sync itself.
 * The log is opened at the first sync, because it may not exist before the first write.
 */
export function logSync(path: string): LogSync {
  const isFast = syncTime(`${path}-probe`) <= FAST_MS;
  let file: number | undefined;
  return {
    async sync() {
      file ??= openSync(path, 'r+');
      if (isFast) fdatasyncSync(file);
      else await fdatasyncInThread(file);
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}

const FAST_MS = 0.5;
const PROBES = 7;

const fdatasyncInThread = promisify(fdatasync);

/** The median time of a small synced write in milliseconds; infinite if the disk is full. */
function syncTime(path: string): number {
  const file = openSync(path, 'w');
  try {
    const page = new Uint8Array(4096);
    const times = Array.from({ length: PROBES }, () => {
      writeSync(file, page);
      const began = performance.now();
      fdatasyncSync(file);
      return performance.now() - began;
    });
    return times.toSorted((a, b) => a - b)[PROBES >> 1] ?? Number.POSITIVE_INFINITY;
  } catch (error) {
    if (asStorageFull(error)) return Number.POSITIVE_INFINITY;
    throw error;
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
