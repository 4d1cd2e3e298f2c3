/** Counts the usage of model calls, and rejects a call that would exceed a budget. */
import type { Usage } from '../../../state/threads/runs.ts';
import type { Price } from '../options.ts';

export interface TokenMeter {
  /** Throws BUDGET_EXCEEDED if `inputTokens` more tokens would exceed the run's own budget. */
  check(inputTokens: number): void;
  /**
   * Resolves when the call may be made, and reserves the maximum that it can use. Throws BUDGET_EXCEEDED, STATE_UNAVAILABLE, or
   * the reason of `signal`.
   */
  reserve(call: PlannedCall, signal: AbortSignal): Promise<Reserved>;
}

export interface PlannedCall {
  model: string;
  price: Price | undefined;
  /** The estimated number of input tokens. */
  inputTokens: number;
  /** The maximum length of the answer, in tokens; undefined if the model decides. */
  maxTokens?: number | undefined;
}

export interface ModelUse extends Usage {
  /** The model that answered. */
  model: string;
}

export interface Reserved {
  /**
   * Replaces the reservation by the actual usage; `used` is undefined if the usage is unknown. Further calls have no effect.
   */
  settle(used: ModelUse | undefined): void;
}

/** A meter that also reports the usage of each call. */
export function tellingMeter(meter: TokenMeter, tell: (used: ModelUse) => void): TokenMeter {
  return {
    check: (inputTokens) => meter.check(inputTokens),
    async reserve(call, signal) {
      const reserved = await meter.reserve(call, signal);
      return {
        settle(used) {
          if (used) tell(used);
          reserved.settle(used);
        },
      };
    },
  };
}

/** A meter for calls that are not counted. */
export const UNMETERED: TokenMeter = {
  check() {},
  reserve: async () => ({ settle() {} }),
};
