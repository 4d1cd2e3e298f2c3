/** The usage of a turn over all its runs. A turn with questions to a person has one more run for each answer. */
import { addedCosts } from '../costs.ts';
import type { Run, Usage } from '../threads/runs.ts';

export function turnUsage({ usage, request }: Pick<Run, 'usage' | 'request'>): Usage {
  const { inputTokens = 0, outputTokens = 0, cost: before } = request.resume?.used ?? {};
  const cost = addedCosts(before, usage.cost);
  return {
    inputTokens: usage.inputTokens + inputTokens,
    outputTokens: usage.outputTokens + outputTokens,
    ...(cost !== undefined && { cost }),
  };
}

/** Input plus output tokens of `turnUsage`. */
export function turnTokens(run: Pick<Run, 'usage' | 'request'>): number {
  const { inputTokens, outputTokens } = turnUsage(run);
  return inputTokens + outputTokens;
}
