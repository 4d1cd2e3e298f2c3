/** A circuit breaker: after several calls in a row found a provider down, fail at once and let one probe through later. */

export interface Breaker {
  state(): 'closed' | 'open' | 'probing';
  /** Milliseconds until a call may be made; 0: now. The call that gets 0 from an open breaker is its probe. */
  admit(): number;
  /** A call came back with an answer, or with a failure that does not mean the provider is down. */
  succeeded(): void;
  /** A call gave up because the provider is down. */
  failed(): void;
  /** The admitted call ended without telling (it was cancelled). */
  abandoned(): void;
}

const FAILURES_TO_OPEN = 5;
// With the promise that a breaker closes within 10 s of the provider's recovery, half of it is for the probe.
const OPEN_MS = 5_000;

export function breaker(now: () => number = Date.now): Breaker {
  let failures = 0;
  let openUntil = 0;
  let probing = false;

  return {
    state() {
      if (probing) return 'probing';
      return failures >= FAILURES_TO_OPEN ? 'open' : 'closed';
    },
    admit() {
      if (failures < FAILURES_TO_OPEN) return 0;
      const wait = openUntil - now();
      if (wait > 0) return wait;
      if (probing) return 1_000;
      probing = true;
      return 0;
    },
    succeeded() {
      failures = 0;
      probing = false;
    },
    failed() {
      failures++;
      probing = false;
      if (failures >= FAILURES_TO_OPEN) openUntil = now() + OPEN_MS;
    },
    abandoned() {
      probing = false;
    },
  };
}
