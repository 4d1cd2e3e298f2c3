/** The memory that request bodies take while they arrive: bounded over all connections. */
import { SkeinError } from '../../state/errors.ts';

export interface BodyRoom {
  enter(): HeldBody;
}

/** The part of one body that has arrived. */
interface HeldBody {
  /** Counts bytes that are kept. Throws OVERLOADED where there is no room for them. */
  take(bytes: number): void;
  /** Rejects with OVERLOADED once the body has to make room for another one. */
  evicted: Promise<never>;
  /** Frees what was counted; a second call changes nothing. */
  leave(): void;
}

export interface RoomSizes {
  /** For the first 64 KiB of every body, so that large ones never keep small ones out. */
  small: number;
  /** For everything beyond them. */
  large: number;
}

const MIB = 1_048_576;
const SMALL_BODY = 65_536;
// A slower body can be evicted, or clients that send a byte now and then would block all others.
const GRACE_MS = 10_000;
const RETRY_SECONDS = 1;

/** 64 MiB in all, or more if a single body may have more than 48 MiB. */
export function roomSizes(largestBody: number): RoomSizes {
  return { small: 16 * MIB, large: Math.max(48 * MIB, largestBody) };
}

export function createBodyRoom({ small, large }: RoomSizes, now: () => number = Date.now): BodyRoom {
  const rooms = { small: createShare(small, now), large: createShare(large, now) };
  return {
    enter() {
      const { promise: evicted, reject } = Promise.withResolvers<never>();
      // It may reject between two reads, when nothing awaits it.
      evicted.catch(() => {});
      let held = 0;
      const holder: Holder = { since: now(), evict: () => reject(overloaded()) };
      return {
        evicted,
        take(bytes) {
          const within = Math.min(bytes, Math.max(SMALL_BODY - held, 0));
          rooms.small.take(holder, within);
          rooms.large.take(holder, bytes - within);
          held += bytes;
        },
        leave() {
          rooms.small.leave(holder);
          rooms.large.leave(holder);
        },
      };
    },
  };
}

interface Holder {
  since: number;
  evict(): void;
}

function createShare(capacity: number, now: () => number) {
  /** In the order of their arrival. */
  const holders = new Map<Holder, number>();
  let used = 0;

  function leave(holder: Holder): void {
    used -= holders.get(holder) ?? 0;
    holders.delete(holder);
  }

  return {
    leave,
    take(holder: Holder, bytes: number): void {
      if (bytes === 0) return;
      while (used + bytes > capacity) {
        const [oldest] = holders.keys();
        if (!oldest || oldest === holder || now() - oldest.since < GRACE_MS) throw overloaded();
        leave(oldest);
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
