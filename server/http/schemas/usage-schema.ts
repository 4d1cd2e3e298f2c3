/** The wire schema of token usage and cost. */
import { type Static, Type } from '@sinclair/typebox';
import type { Usage } from '../../../state/threads/runs.ts';

export const Cost = Type.Optional(
  Type.Number({
    minimum: 0,
    description: 'In the currency of `models[].price`. Omitted if no called model has a price',
  }),
);

export const UsageBody = Type.Object(
  {
    input_tokens: Type.Integer({ description: 'Tokens that were sent to models' }),
    output_tokens: Type.Integer({ description: 'Tokens that models generated' }),
    cost: Cost,
  },
  { title: 'Usage', description: 'Tokens and cost of the model calls' },
);
export type UsageBody = Static<typeof UsageBody>;

export function toUsageBody({ inputTokens, outputTokens, cost }: Usage): UsageBody {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cost !== undefined && { cost }),
  };
}
