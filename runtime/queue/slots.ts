/** How much runs at the same time in this process, and what waits for room there. */

/** A place among what runs: `ready` resolves when it is there; `leave` must be called once, whether it was used or not. */
export interface Place {
  ready: Promise<void>;
  leave(): void;
}

export interface Slots {
  readonly most: number;
  /** Takes a slot if one is free. */
  take(): boolean;
  /** Takes all that are free; gives how many. */
  takeAll(): number;
  /** Gives slots back. What waits for a place comes first; gives whether any is free after that. */
  give(count: number): boolean;
  /** Waits for a slot behind everything that waits here. */
  enter(): Place;
  /** How many are taken. */
  taken(): number;
  /** How much waits for a place. */
  waiting(): number;
}

export function slots(most: number): Slots {
  let taken = 0;
  const waiting: (() => void)[] = [];

  function give(count: number): boolean {
    taken -= count;
    while (taken < most && waiting.length > 0) {
      taken++;
      waiting.shift()?.();
    }
    return taken < most;
  }

  return {
    most,
    take() {
      if (taken >= most) return false;
      taken++;
      return true;
    },
    takeAll() {
      const free = most - taken;
      taken = most;
      return free;
    },
    give,
    enter() {
      const { promise: ready, resolve } = Promise.withResolvers<void>();
      let left = false;
      waiting.push(resolve);
      give(0);
      return {
        ready,
        leave() {
          if (left) return;
          left = true;
          const index = waiting.indexOf(resolve);
          if (index >= 0) waiting.splice(index, 1);
          else give(1);
        },
      };
    },
    taken: () => taken,
    waiting: () => waiting.length,
  };
}
