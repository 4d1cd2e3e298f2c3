/** What a turn has used over all its runs: one that asked a person has one more for each answer. */
import type { Run, Usage } from './runs.ts';

export function turnUsage({ usage, request }: Pick<Run, 'usage' | 'request'>): Usage {
  const { inputTokens = 0, outputTokens = 0 } = request.resume?.used ?? {};
  return {
    inputTokens: usage.inputTokens + inputTokens,
    outputTokens: usage.outputTokens + outputTokens,
  };
}

/** The tokens of `turnUsage`, input and output together. */
export function turnTokens(run: Pick<Run, 'usage' | 'request'>): number {
  const { inputTokens, outputTokens } = turnUsage(run);
  return inputTokens + outputTokens;
}
