/** Brings SQLite's write-ahead log to the disk, without holding up the event loop where the disk is slow. */
import { closeSync, fdatasync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { storageFull } from '../../errors.ts';

export interface LogSync {
  /** Resolves when all that was written to the log before the call is on disk. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * A quick disk is waited for in place, since handing a sync to another thread and coming back costs as much again. The
 * log is opened at the first use: until something is written there may be none.
 */
export function logSync(path: string): LogSync {
  const inPlace = syncTime(`${path}-probe`) <= QUICK_MS;
  let file: number | undefined;
  return {
    async sync() {
      file ??= openSync(path, 'r+');
      if (inPlace) fdatasyncSync(file);
      else await elsewhere(file);
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}

const QUICK_MS = 0.5;
const PROBES = 7;

const elsewhere = promisify(fdatasync);

/** Median milliseconds that the disk under `path` takes for a small write; none where it is full. */
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
    if (storageFull(error)) return Number.POSITIVE_INFINITY;
    throw error;
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
