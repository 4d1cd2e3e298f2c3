/** Limits the memory of request bodies while they arrive, over all connections. */
import { SkeinError } from '../../../state/errors.ts';

export interface BodyMemory {
  /** Starts with a reservation of 0 bytes. */
  open(): Reservation;
}

/** The memory of one body. */
interface Reservation {
  /** Adds bytes. Throws OVERLOADED if the memory is full. */
  reserve(bytes: number): void;
  /** Rejects with OVERLOADED when the body is evicted in favour of another one. */
  evicted: Promise<never>;
  /** Frees all reserved bytes. Further calls have no effect. */
  release(): void;
}

/** In bytes. */
export interface MemoryLimits {
  /** For the first 64 KiB of each body, so that large bodies never block small ones. */
  small: number;
  /** For the rest of each body. */
  large: number;
}

const MIB = 1_048_576;
const SMALL_BODY = 65_536;
// A body that takes longer can be evicted. Otherwise clients that send a byte from time to time would block all others.
const GRACE_MS = 10_000;
const RETRY_SECONDS = 1;

/** 64 MiB in total, or more if a single body may exceed 48 MiB. */
export function memoryLimits(largestBody: number): MemoryLimits {
  return { small: 16 * MIB, large: Math.max(48 * MIB, largestBody) };
}

export function createBodyMemory({ small, large }: MemoryLimits, now: () => number = Date.now): BodyMemory {
  const pools = { small: createPool(small, now), large: createPool(large, now) };
  return {
    open() {
      const { promise: evicted, reject } = Promise.withResolvers<never>();
      // The promise may reject between two reads, when nothing awaits it.
      evicted.catch(() => {});
      let reserved = 0;
      const holder: Holder = { since: now(), evict: () => reject(overloaded()) };
      return {
        evicted,
        reserve(bytes) {
          const small = Math.min(bytes, Math.max(SMALL_BODY - reserved, 0));
          pools.small.reserve(holder, small);
          pools.large.reserve(holder, bytes - small);
          reserved += bytes;
        },
        release() {
          pools.small.release(holder);
          pools.large.release(holder);
        },
      };
    },
  };
}

interface Holder {
  since: number;
  evict(): void;
}

function createPool(capacity: number, now: () => number) {
  /** The reserved bytes of each body, oldest body first. */
  const holders = new Map<Holder, number>();
  let used = 0;

  function release(holder: Holder): void {
    used -= holders.get(holder) ?? 0;
    holders.delete(holder);
  }

  return {
    release,
    reserve(holder: Holder, bytes: number): void {
      if (bytes === 0) return;
      while (used + bytes > capacity) {
        const [oldest] = holders.keys();
        if (!oldest || oldest === holder || now() - oldest.since < GRACE_MS) throw overloaded();
        release(oldest);
        oldest.evict();
      }
      used += bytes;
      holders.set(holder, (holders.get(holder) ?? 0) + bytes);
    },
  };
}

function overloaded(): SkeinError {
  return new SkeinError('OVERLOADED', {
    detail: 'body: too many request bodies are arriving at once',
    retryAfter: RETRY_SECONDS,
  });
}
