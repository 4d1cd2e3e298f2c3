/** Counts the tokens of a run over all its model calls, against its budget. */

import { SkeinError } from '../../state/errors.ts';
import type { Usage } from '../../state/runs.ts';
import type { TokenMeter } from '../../tools/models/call.ts';

/** `budget` is in tokens, input and output together; undefined: no limit. `earlier`: what the run has used before. */
export function tokenMeter(budget: number | undefined, earlier?: Usage): TokenMeter & { usage: Usage } {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, ...earlier };
  return {
    usage,
    check(inputTokens) {
      const used = usage.inputTokens + usage.outputTokens;
      if (budget === undefined || used + inputTokens <= budget) return;
      throw new SkeinError('BUDGET_EXCEEDED', {
        detail: `${used} tokens are used, the next call needs about ${inputTokens}, the budget is ${budget}`,
      });
    },
    add({ inputTokens, outputTokens }) {
      usage.inputTokens += inputTokens;
      usage.outputTokens += outputTokens;
    },
  };
}
