/** A circuit breaker: after several calls in a row found a provider down, fail at once and let one probe through later. */

export interface Breaker {
  state(): 'closed' | 'open' | 'probing';
  /** A pass for one call, or the milliseconds until one is worth asking for. */
  admit(): Pass | number;
}

/** What an admitted call tells when it has ended: one of the three, once. */
export interface Pass {
  /** With an answer, or with a failure that does not mean the provider is down. */
  succeeded(): void;
  /** It gave up because the provider is down. */
  failed(): void;
  /** It was cancelled, or failed for a reason of ours. */
  abandoned(): void;
}

const FAILURES_TO_OPEN = 5;
// With the promise that a breaker closes within 10 s of the provider's recovery, half of it is for the probe.
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
    // A probe that hangs until its deadline must not keep the breaker open that long: then the next call is a probe too.
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
        // A call from before it opened says nothing about now.
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
