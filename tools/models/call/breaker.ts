/** A circuit breaker: after several failures in a row that mean a provider is down, it rejects calls and admits a probe later. */

export interface Breaker {
  state(): 'closed' | 'open' | 'probing';
  /** A pass for one call, or the milliseconds to wait before asking for one. */
  admit(): Pass | number;
}

/** An admitted call. Exactly one of the methods must be called, once. */
export interface Pass {
  /** The call got an answer, or a failure that does not mean that the provider is down. */
  succeeded(): void;
  /** The call failed because the provider is down. */
  failed(): void;
  /** The call was cancelled, or failed for a reason in the service itself. */
  abandoned(): void;
}

const FAILURES_TO_OPEN = 5;
// The breaker must close within 10 s after the provider has recovered. Half of that time is for the probe.
const OPEN_MS = 5_000;

/** `now` is in milliseconds. */
export function breaker(now: () => number = () => performance.now()): Breaker {
  let failures = 0;
  let open = false;
  let nextProbe = 0;
  let probe: Pass | undefined;

  function admit(): Pass | number {
    if (!open) return pass();
    const wait = nextProbe - now();
    if (wait > 0) return wait;
    probe = pass();
    // After this time, the next call is also a probe, so that a probe that hangs until its deadline doesn't keep the breaker
    // open.
    nextProbe = now() + OPEN_MS;
    return probe;
  }

  function pass(): Pass {
    const self: Pass = {
      succeeded() {
        failures = 0;
        open = false;
        probe = undefined;
      },
      failed() {
        // A call that began before the breaker opened says nothing about the current state.
        if (open && probe !== self) return;
        failures++;
        if (failures < FAILURES_TO_OPEN) return;
        open = true;
        probe = undefined;
        nextProbe = now() + OPEN_MS;
      },
      abandoned() {
        if (probe !== self) return;
        probe = undefined;
        nextProbe = now();
      },
    };
    return self;
  }

  return {
    admit,
    state() {
      if (!open) return 'closed';
      return probe ? 'probing' : 'open';
    },
  };
}
