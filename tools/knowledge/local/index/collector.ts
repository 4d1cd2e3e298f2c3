/**
 * Forces garbage collection during heavy allocation. Otherwise, the engine lets the heap grow to several times the used memory.
 */
import { heapSize } from 'bun:jsc';

const MIB = 1024 * 1024;
// How much the heap may grow before a collection. A collection takes about 15 ms with 30 MiB in use, so a larger heap is
// collected less often.
const MIN_GROWTH = 16 * MIB;
const GROWTH = 0.5;

/** Returns a function that should be called often. It only collects if the heap has grown enough. */
export function collector(): () => void {
  let used = heapSize();
  return () => {
    if (heapSize() < used + Math.max(MIN_GROWTH, used * GROWTH)) return;
    Bun.gc(true);
    used = heapSize();
  };
}
