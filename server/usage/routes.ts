/** GET /usage: what runs have used and cost, by workflow, model, caller or day. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { type GroupUsage, USAGE_GROUPS, type UsageGroup } from '../../state/usage-store.ts';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/error-schema.ts';
import { DAY } from '../http/time-query.ts';
import type { Services } from '../services.ts';

const DATE = 'a day of UTC as in 2026-11-23, or a time as in 2026-11-23T08:00:00Z, whose day counts';
const Day = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: `^${DAY}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?$`,
      description: `${DATE}; ${description}`,
    }),
  );

const UsageParameters = Type.Object({
  from: Day("the first day (default: that of the current month's first)"),
  to: Day('the last day, included (default: today)'),
  group_by: Type.Optional(
    Type.Unsafe<UsageGroup>(
      Type.Union(
        USAGE_GROUPS.map((group) => Type.Literal(group)),
        { default: 'day' },
      ),
    ),
  ),
});

const Group = Type.Optional(Type.String());

const UsageList = Type.Object(
  {
    usage: Type.Array(
      Type.Object({
        workflow: Group,
        model: Group,
        caller: Group,
        day: Group,
        runs: Type.Integer({ description: 'Runs that have ended; of a model: those that called it' }),
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        cost: Type.Number({ description: 'In the currency of `models[].price`; 0 without prices' }),
      }),
      { description: 'One of workflow, model, caller and day is there: the one that `group_by` names' },
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
      const sums = await usage.sums({ owner: countedOwner(request), from, to, by });
      return { usage: sums.map((sum) => toBody(by, sum)) };
    },
    {
      query: UsageParameters,
      response: { 200: UsageList },
      detail: {
        summary: 'What your runs have used and cost',
        description: 'A run counts when it ends, on the day of its end in UTC; deleted runs stay counted.',
        tags: ['runs'],
        responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
      },
    },
  );

/** Whose usage the request may see. */
function countedOwner(request: Request): string {
  return ownerOf(request);
}

function dayIn(parameter: 'from' | 'to', text: string): string {
  const isDay = text.length === 10;
  const time = new Date(text);
  const day = Number.isNaN(time.getTime()) ? undefined : time.toISOString().slice(0, 10);
  // JavaScript takes February 30 for March 2.
  if (day === undefined || (isDay && day !== text)) throw invalid(`${parameter}: expected ${DATE}`);
  return day;
}

function invalid(detail: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail });
}

function toBody(by: UsageGroup, { group, runs, inputTokens, outputTokens, cost }: GroupUsage) {
  return { [by]: group, runs, input_tokens: inputTokens, output_tokens: outputTokens, cost };
}
