/** GET /usage: tokens and costs of runs, by workflow, model, caller or day. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { type GroupUsage, USAGE_GROUPS, type UsageGroup } from '../../state/usage/usage-store.ts';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { DAY } from '../http/schemas/time-query.ts';
import type { Services } from '../services.ts';

const DATE =
  'UTC day such as 2026-11-23, or a time such as 2026-11-23T08:00:00Z, of which only the day counts';
const Day = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: `^${DAY}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?$`,
      description: `${description}. A ${DATE}`,
      error: `expected a ${DATE}`,
    }),
  );

const UsageParameters = Type.Object({
  from: Day('The first day (default: the first of the current month)'),
  to: Day('The last day, inclusive (default: today)'),
  group_by: Type.Optional(
    Type.Unsafe<UsageGroup>(
      Type.Union(
        USAGE_GROUPS.map((group) => Type.Literal(group)),
        { default: 'day', description: 'The field by which the usage is summed' },
      ),
    ),
  ),
});

const Group = (description: string) => Type.Optional(Type.String({ description }));

const UsageList = Type.Object(
  {
    usage: Type.Array(
      Type.Object({
        workflow: Group('The workflow of the runs'),
        model: Group('The model that was called'),
        caller: Group('The caller of the runs'),
        day: Group('The UTC day on which the runs ended'),
        runs: Type.Integer({ description: 'Runs that have ended. Of a model: ended runs that called it' }),
        input_tokens: Type.Integer({ description: 'Tokens that were sent to models' }),
        output_tokens: Type.Integer({ description: 'Tokens that models generated' }),
        cost: Type.Number({ description: 'In the currency of `models[].price`. 0 without prices' }),
      }),
      { description: 'Each item has the field that `group_by` names: workflow, model, caller or day' },
    ),
  },
  { title: 'UsageList' },
);

export const usageRoutes = ({ usage }: Pick<Services, 'usage'>) =>
  new Elysia({ prefix: '/api/v1', name: 'usage' }).get(
    '/usage',
    async ({ query, request }) => {
      const now = new Date().toISOString();
      const from = dayIn('from', query.from ?? `${now.slice(0, 7)}-01`);
      const to = dayIn('to', query.to ?? now);
      if (from > to) throw invalid('from: expected a day that is not after `to`');
      const by = query.group_by ?? 'day';
      const sums = await usage.sums({ owner: ownerOf(request), from, to, by });
      return { usage: sums.map((sum) => toBody(by, sum)) };
    },
    {
      query: UsageParameters,
      response: { 200: UsageList },
      detail: {
        summary: 'Get the tokens and costs of your runs',
        description: 'A run counts on the UTC day on which it ends. Deleted runs still count.',
        tags: ['runs'],
        responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
      },
    },
  );

function dayIn(parameter: 'from' | 'to', text: string): string {
  const isDay = text.length === 10;
  const time = new Date(text);
  const day = Number.isNaN(time.getTime()) ? undefined : time.toISOString().slice(0, 10);
  // `Date` accepts February 30 as March 2, so compare the day with the input.
  if (day === undefined || (isDay && day !== text)) throw invalid(`${parameter}: expected a ${DATE}`);
  return day;
}

function invalid(detail: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail });
}

function toBody(by: UsageGroup, { group, runs, inputTokens, outputTokens, cost }: GroupUsage) {
  return { [by]: group, runs, input_tokens: inputTokens, output_tokens: outputTokens, cost };
}
