/** The `budgets` block: what callers and workflows may use in a day or a month. */
import { type Static, Type } from '@sinclair/typebox';

export const BudgetOptions = Type.Object(
  {
    caller: Type.Optional(
      Type.String({
        pattern: '^((user|key|oidc):.+|anonymous)$',
        expected: 'user:<name>, key:<name>, oidc:<claim> or anonymous',
        description: 'The caller whose runs count; unset: all callers together.',
      }),
    ),
    workflow: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The workflow whose runs count; unset: all workflows together.',
      }),
    ),
    per: Type.Union([Type.Literal('day'), Type.Literal('month')], {
      description: 'The period in UTC: it begins at midnight, or on the first of the month.',
    }),
    tokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The maximum for the period, input and output tokens together.',
      }),
    ),
    cost: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'The maximum for the period, in the currency of `models[].price`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'One budget.' },
);

export type BudgetOptions = Static<typeof BudgetOptions>;
