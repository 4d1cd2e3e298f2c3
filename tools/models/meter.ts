/** Counts what model calls use, and refuses a call that would pass a budget. */
import type { Usage } from '../../state/runs.ts';
import type { Price } from './options.ts';

export interface TokenMeter {
  /** Throws BUDGET_EXCEEDED if `inputTokens` more would pass the run's own budget. */
  check(inputTokens: number): void;
  /**
   * Resolves when the call may be made, which then counts against the budgets as if it used the most that it can. Throws
   * BUDGET_EXCEEDED, STATE_UNAVAILABLE, or the reason of `signal`.
   */
  reserve(call: PlannedCall, signal: AbortSignal): Promise<Reserved>;
}

export interface PlannedCall {
  model: string;
  price: Price | undefined;
  /** Estimated. */
  inputTokens: number;
  /** The longest answer, in tokens; undefined: the model decides. */
  maxTokens?: number | undefined;
}

export interface ModelUse extends Usage {
  /** The model that answered. */
  model: string;
}

export interface Reserved {
  /** The call is over; `used` is undefined where nothing is known of what it used. Only the first call counts. */
  settle(used: ModelUse | undefined): void;
}

/** A meter that also tells what each call has used. */
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

/** For calls that nobody counts. */
export const UNMETERED: TokenMeter = {
  check() {},
  reserve: async () => ({ settle() {} }),
};
