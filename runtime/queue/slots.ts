/** Limits how many runs this process executes at the same time, and queues the requests for a slot. */

/** A queued request: `granted` resolves when the slot is available. Always call `release` once, even if it was not granted. */
export interface SlotRequest {
  granted: Promise<void>;
  release(): void;
}

export interface Slots {
  readonly size: number;
  /** Takes a slot and returns true if one is free. */
  tryAcquire(): boolean;
  /** Takes all free slots and returns their number. */
  acquireAll(): number;
  /** Releases slots to the queued requests first. Returns whether any slot is free afterwards. */
  release(count: number): boolean;
  /** Queues a request behind the earlier ones. */
  request(): SlotRequest;
  /** The number of slots in use. */
  inUse(): number;
  /** The number of queued requests. */
  waiting(): number;
}

export function slots(size: number): Slots {
  let inUse = 0;
  const waiting: (() => void)[] = [];

  function release(count: number): boolean {
    inUse -= count;
    while (inUse < size && waiting.length > 0) {
      inUse++;
      waiting.shift()?.();
    }
    return inUse < size;
  }

  return {
    size,
    tryAcquire() {
      if (inUse >= size) return false;
      inUse++;
      return true;
    },
    acquireAll() {
      const free = size - inUse;
      inUse = size;
      return free;
    },
    release,
    request() {
      const { promise: granted, resolve } = Promise.withResolvers<void>();
      let isReleased = false;
      waiting.push(resolve);
      release(0);
      return {
        granted,
        release() {
          if (isReleased) return;
          isReleased = true;
          const index = waiting.indexOf(resolve);
          if (index >= 0) waiting.splice(index, 1);
          else release(1);
        },
      };
    },
    inUse: () => inUse,
    waiting: () => waiting.length,
  };
}
