/** The rows that count what a run has used, and how they are summed. */
import { sumOfCosts } from '../costs.ts';
import type { RunEnd } from '../runs.ts';
import type { GroupUsage, UsageGroup } from '../usage-store.ts';

export interface UsageRow {
  /** '' counts the run itself, and what is not known of any model. */
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost: number;
}

/** In the order of their models, so that ends which write the same rows never wait for each other in a circle. */
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

/** The day of a time in UTC, as in 2026-11-23. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The column that a sum is grouped by. */
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
