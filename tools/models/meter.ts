/** Counts the usage of model calls, and rejects a call that would exceed a budget. */
import type { Usage } from '../../state/runs.ts';
import type { Price } from './options.ts';

export interface TokenMeter {
  /** Throws BUDGET_EXCEEDED if `inputTokens` more would exceed the run's own budget. */
  check(inputTokens: number): void;
  /**
   * Resolves when the call may be made, and reserves the most that it can use. Throws
   * BUDGET_EXCEEDED, STATE_UNAVAILABLE, or the reason of `signal`.
   */
  reserve(call: PlannedCall, signal: AbortSignal): Promise<Reserved>;
}

export interface PlannedCall {
  model: string;
  price: Price | undefined;
  /** Estimated. */
  inputTokens: number;
  /** The maximum length of the answer, in tokens; undefined: the model decides. */
  maxTokens?: number | undefined;
}

export interface ModelUse extends Usage {
  /** The model that answered. */
  model: string;
}

export interface Reserved {
  /** Ends the call; `used` is undefined if its usage is unknown. Only the first call counts. */
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

/** For calls that are not counted. */
export const UNMETERED: TokenMeter = {
  check() {},
  reserve: async () => ({ settle() {} }),
};
