/** Counts the tokens of a run's model calls and enforces the run's own token budget. */

import { SkeinError } from '../../state/errors.ts';
import type { RunUsage } from '../../state/threads/runs.ts';
import { addUsage, type UsageSum, usageSum } from '../../state/usage/model-usage.ts';
import type { ModelUse, Reserved, TokenMeter } from '../../tools/models/usage/meter.ts';

export interface RunMeter extends TokenMeter {
  usage: UsageSum;
}

/**
 * `budget`: input and output tokens together; undefined: no limit. `earlier`: usage of the run's earlier attempts.
 * `check` and `reserve` throw BUDGET_EXCEEDED.
 */
export function tokenMeter(budget: number | undefined, earlier?: RunUsage): RunMeter {
  const usage = usageSum(earlier ?? { inputTokens: 0, outputTokens: 0 });

  function check(inputTokens: number): void {
    const used = usage.inputTokens + usage.outputTokens;
    if (budget === undefined || used + inputTokens <= budget) return;
    throw new SkeinError('BUDGET_EXCEEDED', {
      detail: `${used} tokens are used, the next call needs about ${inputTokens}, the budget is ${budget}`,
    });
  }

  return {
    usage,
    check,
    async reserve(call) {
      check(call.inputTokens);
      return settleOnce((used) => {
        if (used) addUsage(usage, used.model, used);
      });
    },
  };
}

function settleOnce(settle: Reserved['settle']): Reserved {
  let isSettled = false;
  return {
    settle(used: ModelUse | undefined) {
      if (isSettled) return;
      isSettled = true;
      settle(used);
    },
  };
}
