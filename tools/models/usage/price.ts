/** Computes what tokens cost. */
import { sumOfCosts } from '../../../state/costs.ts';
import type { Usage } from '../../../state/threads/runs.ts';
import type { Price } from '../options.ts';
import type { TokenUsage } from './tokens.ts';

const PER = 1_000_000;

/** The usage of a call, with its cost if the model has a price. */
export function usageAt(price: Price | undefined, tokens: TokenUsage): Usage {
  const { inputTokens, outputTokens } = tokens;
  return { inputTokens, outputTokens, ...(price && { cost: costOf(price, tokens) }) };
}

export function costOf(price: Price, { inputTokens, outputTokens, cachedTokens = 0 }: TokenUsage): number {
  const { input, output, cached_input = input } = price;
  const sum = (inputTokens - cachedTokens) * input + cachedTokens * cached_input + outputTokens * output;
  return sumOfCosts(sum / PER);
}
