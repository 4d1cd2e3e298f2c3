/** Rows of the table `usage`, which count the usage of runs. */
import { sumOfCosts } from '../costs.ts';
import type { RunEnd } from '../threads/runs.ts';
import type { GroupUsage, UsageGroup } from '../usage/usage-store.ts';

export interface UsageRow {
  /** The row '' counts the run itself, and usage without a known model. */
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost: number;
}

/** Sorted by model, so that concurrent transactions lock the same rows in the same order and can't deadlock. */
export function usageRows({ usage }: Pick<RunEnd, 'usage'>): UsageRow[] {
  const models = Array.from(usage.models ?? [], ([model, used]) => ({
    model,
    input_tokens: used.inputTokens,
    output_tokens: used.outputTokens,
    cost: used.cost ?? 0,
  })).filter(({ model }) => model !== '');
  const known = (field: 'input_tokens' | 'output_tokens') => models.reduce((sum, row) => sum + row[field], 0);
  const own: UsageRow = {
    model: '',
    input_tokens: Math.max(0, usage.inputTokens - known('input_tokens')),
    output_tokens: Math.max(0, usage.outputTokens - known('output_tokens')),
    cost: 0,
  };
  return [own, ...models.sort((a, b) => (a.model < b.model ? -1 : 1))];
}

/** The UTC day of a time, such as 2026-11-23. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The columns by which sums are grouped. */
export const GROUP_COLUMNS: Record<UsageGroup, string> = {
  workflow: 'workflow',
  model: 'model',
  caller: 'owner',
  day: 'day',
};

export interface SumRow {
  name: string;
  runs: number;
  input_tokens: number;
  output_tokens: number;
  cost: number;
}

export function toGroupUsage({ name, runs, input_tokens, output_tokens, cost }: SumRow): GroupUsage {
  const tokens = { inputTokens: input_tokens, outputTokens: output_tokens };
  return { group: name, runs, ...tokens, cost: sumOfCosts(cost) };
}
