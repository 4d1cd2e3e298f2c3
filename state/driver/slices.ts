/** Divides long reads into time slices. Concurrent reads share one slice per turn of the event loop. */

export interface Slice {
  isOver(): boolean;
  /** Lets other work run, then begins the next slice. */
  next(): Promise<void>;
}

const SLICE_MS = 8;
// The length of the first slice if other reads are waiting; enough for most reads.
const FIRST_MS = 1;

/** Begins a read that may take a long time. */
export type BeginSlices = () => Slice;

export function slices(): BeginSlices {
  const waiting: (() => void)[] = [];
  let waking = false;

  /** Resumes one waiting read per turn of the event loop. Each runs until its slice or its work ends. */
  async function wakeInTurn(): Promise<void> {
    waking = true;
    while (waiting.length > 0) {
      await Bun.sleep(0);
      waiting.shift()?.();
    }
    waking = false;
  }

  function turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    if (!waking) wakeInTurn();
    return promise;
  }

  return () => {
    let end = performance.now() + (waking ? FIRST_MS : SLICE_MS);
    return {
      isOver: () => performance.now() > end,
      async next() {
        await turn();
        end = performance.now() + SLICE_MS;
      },
    };
  };
}
