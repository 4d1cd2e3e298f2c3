/** Sums of the usage of model calls in tokens and money, in total and by model. */
import { addedCosts, sumOfCosts } from '../costs.ts';
import type { ModelCallEntry } from '../threads/run-trace.ts';
import type { RunUsage, Usage } from '../threads/runs.ts';

/** A sum to which calls are added. */
export interface UsageSum extends RunUsage {
  models: Map<string, Usage>;
}

export function noUsage(): UsageSum {
  return { inputTokens: 0, outputTokens: 0, models: new Map() };
}

/** A copy to add to. If the usage by model is unknown, only the totals. */
export function usageSum({ models = new Map(), ...totals }: RunUsage): UsageSum {
  return { ...totals, models: new Map(models) };
}

/** The sum over several runs. */
export function summedUsage(runs: readonly RunUsage[]): UsageSum {
  const sum = noUsage();
  for (const { models = new Map<string, Usage>(), ...totals } of runs) {
    add(sum, totals, 1);
    for (const [model, used] of models) {
      const of = sum.models.get(model) ?? { inputTokens: 0, outputTokens: 0 };
      sum.models.set(model, of);
      add(of, used, 1);
    }
  }
  return sum;
}

/** `sign`: -1 subtracts what was added before. */
export function addUsage(to: UsageSum, model: string, used: Usage, sign: 1 | -1 = 1): void {
  add(to, used, sign);
  const of = to.models.get(model) ?? { inputTokens: 0, outputTokens: 0 };
  to.models.set(model, of);
  add(of, used, sign);
  if (of.inputTokens === 0 && of.outputTokens === 0) to.models.delete(model);
}

function add(to: Usage, { inputTokens, outputTokens, cost }: Usage, sign: 1 | -1): void {
  to.inputTokens += sign * inputTokens;
  to.outputTokens += sign * outputTokens;
  if (cost !== undefined) to.cost = sumOfCosts(to.cost ?? 0, sign * cost);
}

/** The usage of one call, from its record. */
export function usedBy({ input_tokens, output_tokens, cost }: ModelCallEntry): Usage {
  return { inputTokens: input_tokens, outputTokens: output_tokens, ...(cost !== undefined && { cost }) };
}

type StoredModel = [model: string, inputTokens: number, outputTokens: number, cost: number | null];

/** JSON for the column `models` of a run; null if the usage by model is unknown. */
export function storedModels(models: ReadonlyMap<string, Usage> = new Map()): string | null {
  const stored = Array.from(
    models,
    ([model, { inputTokens, outputTokens, cost }]): StoredModel => [
      model,
      inputTokens,
      outputTokens,
      cost ?? null,
    ],
  );
  return stored.length === 0 ? null : JSON.stringify(stored);
}

/** The reverse of `storedModels`. */
export function modelsIn(stored: string | null): Map<string, Usage> {
  const models = stored === null ? [] : (JSON.parse(stored) as StoredModel[]);
  return new Map(
    models.map(([model, inputTokens, outputTokens, cost]) => [
      model,
      { inputTokens, outputTokens, ...(cost !== null && { cost }) },
    ]),
  );
}

/** The cost of all models; undefined if none has a price. */
export function costOfAll(models: ReadonlyMap<string, Usage>): number | undefined {
  return Array.from(models.values(), ({ cost }) => cost).reduce(addedCosts, undefined);
}
