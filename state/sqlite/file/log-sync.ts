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
  const disk = diskSpeed(syncTime(`${path}-probe`));
  let file: number | undefined;
  return {
    async sync() {
      file ??= openSync(path, 'r+');
      const began = performance.now();
      if (disk.isFast()) fdatasyncSync(file);
      else await fdatasyncInThread(file);
      disk.note(performance.now() - began);
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}

const FAST_MS = 0.5;
// On a disk that other processes keep busy, syncs repeatedly take a hundred milliseconds or more.
const SLOW_MS = 4;
const HANDOFF_MS = 0.2;
const FAST_IN_A_ROW = 100;

/**
 * Whether syncs are fast enough to run synchronously: false from the first slow sync until a hundred fast ones in a row. All
 * times are in milliseconds; those of other threads include the handoff.
 */
export function diskSpeed(probed: number): { isFast(): boolean; note(took: number): void } {
  let isFast = probed <= FAST_MS;
  let fastInARow = 0;
  return {
    isFast: () => isFast,
    note(took) {
      fastInARow = took <= FAST_MS + HANDOFF_MS ? fastInARow + 1 : 0;
      isFast = isFast ? took <= SLOW_MS : fastInARow >= FAST_IN_A_ROW;
    },
  };
}

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
