/** Brings SQLite's write-ahead log to the disk, without holding up the event loop where the disk is slow. */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

export interface LogSync {
  /** Resolves when all that was written to the log before the call is on disk. */
  sync(): Promise<void>;
  close(): void;
}

// Handing a sync to another thread costs 0.1 ms: a disk that answers within this is quicker waited for in place.
const QUICK_MS = 0.5;
// How much the newest sync counts for whether the disk is quick.
const WEIGHT = 0.1;

/** The file is opened at the first use: until something is written there may be none. */
export function logSync(path: string): LogSync {
  let file: number | undefined;
  let usual = 0;

  async function sync(): Promise<void> {
    file ??= openSync(path, 'r+');
    const began = performance.now();
    if (usual <= QUICK_MS) fdatasyncSync(file);
    else await elsewhere(file);
    usual += WEIGHT * (performance.now() - began - usual);
  }

  return {
    sync,
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}

const elsewhere = promisify(fdatasync);
