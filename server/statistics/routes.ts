/** GET /statistics: counts, durations, tokens and costs of runs over time, by workflow or prompt version. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { FIGURE_GROUPS, type FigureGroup, readFigures } from '../../runtime/figures/read-figures.ts';
import type { Figures } from '../../runtime/figures/run-figures.ts';
import { workflowName } from '../../runtime/workflows/workflow-name.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { timeIn, timeParameter } from '../http/schemas/time-query.ts';
import type { Services } from '../services.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 7;

const StatisticsParameters = Type.Object({
  from: timeParameter('Runs accepted at this time or later (default: 7 days before `to`)'),
  to: timeParameter('Runs accepted before this time (default: now)'),
  workflow: Type.Optional(Type.String({ maxLength: 200, description: 'The name of a workflow' })),
  group_by: Type.Optional(
    Type.Unsafe<FigureGroup>(
      Type.Union(
        FIGURE_GROUPS.map((group) => Type.Literal(group)),
        { default: 'workflow', description: 'How runs are grouped in `groups`' },
      ),
    ),
  ),
  ...ownerQuery,
});

const Percentiles = (description: string) =>
  Type.Union(
    [
      Type.Object({
        p50: Type.Number({ description: 'The median, in milliseconds' }),
        p95: Type.Number({ description: 'The 95th percentile, in milliseconds' }),
      }),
      Type.Null(),
    ],
    { description },
  );

const figureFields = {
  runs: Type.Integer({ description: 'All runs, including unfinished ones' }),
  failed: Type.Integer({ description: 'Failed runs' }),
  cancelled: Type.Integer({ description: 'Cancelled runs' }),
  duration_ms: Percentiles('From start to end, for runs that succeeded'),
  first_token_ms: Percentiles('From start to the first text of the answer'),
  input_tokens: Type.Integer({ description: 'Tokens that were sent to models' }),
  output_tokens: Type.Integer({ description: 'Tokens that models generated' }),
  cost: Type.Union([Type.Number(), Type.Null()], { description: 'Null if no model has a price' }),
};

const Statistics = Type.Object(
  {
    from: Type.String({ format: 'date-time', description: 'The start of the period, inclusive' }),
    to: Type.String({ format: 'date-time', description: 'The end of the period, exclusive' }),
    complete: Type.Boolean({
      description: 'False if the period has more than 5,000 runs, of which only the newest 5,000 are counted',
    }),
    all: Type.Object(figureFields, { description: 'The figures of the whole period' }),
    span_seconds: Type.Integer({
      description: 'An hour for at most two days, a UTC day for at most 92 days, otherwise several days',
    }),
    spans: Type.Array(
      Type.Object({
        start: Type.String({ format: 'date-time', description: 'The start of the span' }),
        ...figureFields,
      }),
      { description: 'The figures of each span, oldest first' },
    ),
    groups: Type.Array(
      Type.Object({
        workflow: Type.Optional(Type.String({ description: 'The workflow of the runs' })),
        prompt: Type.Optional(
          Type.Object(
            {
              filename: Type.String({ description: 'The name of the prompt file' }),
              revision_id: Type.String({ description: 'The revision of the prompt file' }),
              version: Type.Union([Type.Integer(), Type.Null()], { description: '0 is the shipped file' }),
            },
            { description: 'The prompt version that the runs rendered' },
          ),
        ),
        ...figureFields,
      }),
      { description: 'Each group has the field that `group_by` names: workflow or prompt' },
    ),
  },
  { title: 'Statistics' },
);

export const statisticsRoutes = ({ archive, operators }: Pick<Services, 'archive' | 'operators'>) =>
  new Elysia({ prefix: '/api/v1', name: 'statistics' }).get(
    '/statistics',
    async ({ query, request, route }) => {
      const { workflow, group_by: by = 'workflow' } = query;
      const owner = operators.ofList({ request, route, owner: query.owner });
      const filter = { owner, workflow: workflow === undefined ? undefined : workflowName(workflow) };
      const { from, until } = rangeOf(query);
      const { all, isComplete, spanMs, spans, groups } = await readFigures(archive, {
        filter,
        from,
        until,
        by,
      });
      return {
        ...{ from: textOf(from), to: textOf(until), complete: isComplete, all: toBody(all) },
        span_seconds: spanMs / 1000,
        spans: spans.map(({ start, figures }) => ({ start: textOf(start), ...toBody(figures) })),
        groups: groups.map(({ workflow: name, prompt, figures }) => ({
          ...(name !== undefined && { workflow: name }),
          ...(prompt && { prompt: { ...prompt, revision_id: prompt.revision } }),
          ...toBody(figures),
        })),
      };
    },
    {
      query: StatisticsParameters,
      response: { 200: Statistics },
      detail: {
        summary: 'Get counts, durations, tokens and costs of runs over time, by workflow or prompt version',
        tags: ['runs'],
        responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
      },
    },
  );

// Earlier years have no four-digit form.
const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z');

function rangeOf({ from, to }: { from?: string; to?: string }): { from: number; until: number } {
  const until = to === undefined ? Date.now() : timeIn('to', to);
  const since =
    from === undefined ? Math.max(until - DEFAULT_DAYS * DAY_MS, FIRST_TIME) : timeIn('from', from);
  if (since >= until) throw invalid('from: expected a time before `to`');
  return { from: since, until };
}

function invalid(detail: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail });
}

function toBody({ duration, firstToken, inputTokens, outputTokens, cost, ...counts }: Figures) {
  return {
    ...counts,
    ...{ duration_ms: duration, first_token_ms: firstToken },
    ...{ input_tokens: inputTokens, output_tokens: outputTokens, cost: cost ?? null },
  };
}

function textOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
