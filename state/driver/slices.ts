/** Long reads in slices: all that go on at a time share one slice in each turn of the event loop. */

export interface Slice {
  isOver(): boolean;
  /** Resolves when others have had their turn, and begins the next slice. */
  next(): Promise<void>;
}

const SLICE_MS = 8;
// Of a read that begins while others wait: enough for most reads.
const FIRST_MS = 1;

/** Begins a read that may take long. */
export type BeginSlices = () => Slice;

export function slices(): BeginSlices {
  const waiting: (() => void)[] = [];
  let going = false;

  /** Who is woken works until its slice is over, or it is done, before the timer of the next turn. */
  async function wakeInTurn(): Promise<void> {
    going = true;
    while (waiting.length > 0) {
      await Bun.sleep(0);
      waiting.shift()?.();
    }
    going = false;
  }

  function turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    if (!going) wakeInTurn();
    return promise;
  }

  return () => {
    let end = performance.now() + (going ? FIRST_MS : SLICE_MS);
    return {
      isOver: () => performance.now() > end,
      async next() {
        await turn();
        end = performance.now() + SLICE_MS;
      },
    };
  };
}
