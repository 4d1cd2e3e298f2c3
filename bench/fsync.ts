/** The time of an fsync on this machine, which is the minimum of every durable commit. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from './load.ts';

/** Median of 200 appends of 4 KiB with fdatasync, in milliseconds. */
export function fsyncTime(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-fsync-'));
  const file = openSync(join(folder, 'file'), 'w');
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 200 }, () => {
    const began = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return quantile(times, 0.5).toFixed(2);
}
