/** What a turn has used over all its runs: one that asked a person has one more for each answer. */
import { addedCosts } from './costs.ts';
import type { Run, Usage } from './runs.ts';

export function turnUsage({ usage, request }: Pick<Run, 'usage' | 'request'>): Usage {
  const { inputTokens = 0, outputTokens = 0, cost: before } = request.resume?.used ?? {};
  const cost = addedCosts(before, usage.cost);
  return {
    inputTokens: usage.inputTokens + inputTokens,
    outputTokens: usage.outputTokens + outputTokens,
    ...(cost !== undefined && { cost }),
  };
}

/** The tokens of `turnUsage`, input and output together. */
export function turnTokens(run: Pick<Run, 'usage' | 'request'>): number {
  const { inputTokens, outputTokens } = turnUsage(run);
  return inputTokens + outputTokens;
}
