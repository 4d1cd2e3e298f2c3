/** Routes for runs: list them over all threads or of one thread, read one as JSON or as a trace, and cancel one. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Page } from '../../state/threads/archive.ts';
import type { Run } from '../../state/threads/runs.ts';
import { ownerOf } from '../authentication/identity.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { pageOf, paging } from '../http/schemas/paging.ts';
import type { Services } from '../services.ts';
import { namedOwner, readThreadOf, threadParams } from '../threads/shape.ts';
import { otlpTrace } from './otlp-trace.ts';
import { ownerOfRun } from './owner-of-run.ts';
import { runFilterIn, runFilterQuery } from './run-filter.ts';
import { RunBody, runParams, toRunBody } from './shape.ts';

const PAGES = paging('runs', ['string']);

const RunList = pageOf('runs', RunBody, 'RunList');

const RunQuery = Type.Object({ ...runFilterQuery, ...ownerQuery, ...PAGES.query });

const OtlpTrace = Type.Object(
  {
    resourceSpans: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'The spans of the run, in the JSON format of OTLP',
    }),
  },
  { title: 'OtlpTrace' },
);

export const runRoutes = ({ archive, operators, runtime, state, version }: Services) =>
  new Elysia({ prefix: '/api/v1', name: 'runs' })
    .get(
      '/runs',
      async ({ query, request, route }) => {
        const owner = operators.ofList({ request, route, owner: query.owner });
        const filter = { ...runFilterIn(query), owner };
        return toList(await archive.runs(filter, PAGES.request(query)), query);
      },
      {
        query: RunQuery,
        response: { 200: RunList },
        detail: {
          summary: 'List the runs of all threads, newest first',
          description:
            'With filters on duration, tokens, cost, error code, prompt file or feedback, a page searches 2,000 runs: it may contain fewer than `limit`, or none, while `next_cursor` continues with older ones.',
          tags: ['runs'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    )
    .get(
      '/threads/:thread_id/runs',
      async ({ params: { thread_id }, query, request, route }) => {
        const page = PAGES.request(query);
        const read = { request, route, owner: query.owner };
        const { key, owner } = await readThreadOf({ archive, operators }, read, thread_id);
        return toList(await archive.runs({ owner, thread: key }, page), query);
      },
      {
        params: threadParams,
        query: Type.Object({ ...ownerQuery, ...PAGES.query }),
        response: { 200: RunList },
        detail: {
          summary: "List a thread's runs, including failed ones, newest first",
          tags: ['runs'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'),
        },
      },
    )
    .get(
      '/runs/:run_id',
      async ({ params: { run_id }, query, request, route }) => {
        const owner = await ownerOfRun({ operators, state }, { request, route, owner: query.owner }, run_id);
        return { ...toRunBody(await runtime.run(owner, run_id)), ...namedOwner(query, owner) };
      },
      {
        params: runParams,
        query: Type.Object(ownerQuery),
        response: { 200: RunBody },
        detail: {
          summary: 'Get a run',
          tags: ['runs'],
          responses: errorResponses('UNAUTHORIZED', 'RUN_NOT_FOUND'),
        },
      },
    )
    .get(
      '/runs/:run_id/trace',
      async ({ params: { run_id }, query, request, route }) => {
        const owner = await ownerOfRun({ operators, state }, { request, route, owner: query.owner }, run_id);
        return otlpTrace(await runtime.run(owner, run_id), version);
      },
      {
        params: runParams,
        query: Type.Object(ownerQuery),
        response: { 200: OtlpTrace },
        detail: {
          summary: 'Export a run as a trace in OTLP JSON',
          tags: ['runs'],
          responses: errorResponses('UNAUTHORIZED', 'RUN_NOT_FOUND'),
        },
      },
    )
    .post(
      '/runs/:run_id/cancel',
      async ({ params: { run_id }, request }) => toRunBody(await runtime.cancel(ownerOf(request), run_id)),
      {
        params: runParams,
        response: { 200: RunBody },
        detail: {
          summary: 'Cancel a run or discard its interrupt; responds when the run has ended',
          tags: ['runs'],
          responses: errorResponses('UNAUTHORIZED', 'RUN_NOT_FOUND', 'PAYLOAD_TOO_LARGE'),
        },
      },
    );

function toList({ items, next }: Page<Run>, query: { owner?: string | undefined }) {
  const runs = items.map((run) => ({ ...toRunBody(run), ...namedOwner(query, run.owner) }));
  return { runs, next_cursor: PAGES.cursorOf(next) };
}
