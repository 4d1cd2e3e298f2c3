/** Collects garbage while much of it is made: left to itself the engine lets the heap grow to several times what is used. */
import { heapSize } from 'bun:jsc';

const MIB = 1024 * 1024;
// Of garbage. A collection takes about 15 ms where 30 MiB are in use, so where more is in use there is one less often.
const LEAST_GROWTH = 16 * MIB;
const GROWTH = 0.5;

/** Gives what is to be called now and then; it mostly does nothing. */
export function collector(): () => void {
  let used = heapSize();
  return () => {
    if (heapSize() < used + Math.max(LEAST_GROWTH, used * GROWTH)) return;
    Bun.gc(true);
    used = heapSize();
  };
}
