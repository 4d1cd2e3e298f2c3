/** Routes for stateless runs: each run creates a new thread, which is deleted after the run unless it is kept. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import { ownerOf } from '../../authentication/identity.ts';
import type { Connections } from '../../connection.ts';
import { atLeastOneOf } from '../../http/schemas/documented-schema.ts';
import type { Services } from '../../services.ts';
import { findAssistant } from '../assistants/find-assistant.ts';
import { textErrors } from '../errors.ts';
import { findThread } from '../threads/find-thread.ts';
import { listRuns } from './list-runs.ts';
import { followRun, startAndStream, startAndWait, startInBackground } from './reply.ts';
import { Run } from './run-body.ts';
import { RunCreate } from './run-create.ts';

const START_ERRORS = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_INPUT', 'UNAUTHORIZED'] as const),
  ...(['WORKFLOW_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'PAYLOAD_TOO_LARGE'] as const),
  ...(['RATE_LIMITED', 'BUDGET_EXCEEDED', 'CONFIGURATION_ERROR', 'OVERLOADED'] as const),
);
const READ_ERRORS = textErrors('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'RUN_NOT_FOUND', 'INVALID_REQUEST');
const EVENTS = { 200: { description: 'A stream of events', content: { 'text/event-stream': {} } } };
const VALUES = { 200: { description: "The graph's output", content: { 'application/json': {} } } };
const detail = <Responses>(summary: string, responses: Responses) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

const Action = Type.Union([Type.Literal('interrupt'), Type.Literal('rollback')]);

const CancelMany = Type.Object(
  {
    thread_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    run_ids: Type.Optional(Type.Union([Type.Array(Type.String(), { maxItems: 1000 }), Type.Null()])),
    status: Type.Optional(
      Type.Union([Type.Literal('pending'), Type.Literal('running'), Type.Literal('all'), Type.Null()]),
    ),
  },
  { title: 'RunsCancel', additionalProperties: true, ...atLeastOneOf('status', 'thread_id', 'run_ids') },
);

const MAX_RUNS = 1000;

export const statelessRunRoutes = (services: Services & Pick<Connections, 'countChat'>) =>
  new Elysia({ prefix: '/runs', name: 'langgraph-stateless-runs' })
    .post('', ({ body, request, set }) => startInBackground(services, undefined, { request, set, body }), {
      ...{ parse: 'json', body: RunCreate, response: { 200: Run } },
      detail: detail('Start a run in the background', START_ERRORS),
    })
    .post(
      '/stream',
      ({ body, request, set }) => startAndStream(services, undefined, { request, set, body }),
      {
        ...{ parse: 'json', body: RunCreate },
        detail: detail('Start a run and stream it', { ...START_ERRORS, ...EVENTS }),
      },
    )
    .post('/wait', ({ body, request, set }) => startAndWait(services, undefined, { request, set, body }), {
      ...{ parse: 'json', body: RunCreate },
      detail: detail('Start a run and wait for its output', { ...START_ERRORS, ...VALUES }),
    })
    .post(
      '/batch',
      async ({ body: bodies, request, set }) => {
        // Count and check all runs before any of them starts. The guard has already counted the first one.
        for (const _ of bodies.slice(1)) await services.countChat(request);
        for (const { assistant_id } of bodies) await findAssistant(services, request, assistant_id);
        return Promise.all(
          bodies.map((body) => startInBackground(services, undefined, { request, set, body })),
        );
      },
      {
        ...{ parse: 'json', body: Type.Array(RunCreate, { minItems: 1, maxItems: MAX_RUNS }) },
        response: { 200: Type.Array(Run) },
        detail: detail('Start several runs in the background', START_ERRORS),
      },
    )
    .post(
      '/cancel',
      async ({ body, query, request, set }) => {
        const owner = ownerOf(request);
        const { thread_id, run_ids, status } = body;
        if (!thread_id && !run_ids && !status)
          throw new SkeinError('INVALID_REQUEST', {
            detail: 'status: required without thread_id or run_ids',
          });
        const thread = thread_id ? (await findThread(services.archive, request, thread_id)).key : undefined;
        const all = [
          ...(status === 'running'
            ? []
            : await listRuns(services.archive, { owner, thread }, { ...ALL, status: 'pending' })),
          ...(status === 'pending'
            ? []
            : await listRuns(services.archive, { owner, thread }, { ...ALL, status: 'running' })),
        ];
        const selected = run_ids ? all.filter(({ runId }) => run_ids.includes(runId)) : all;
        const reason = query.action === 'rollback' ? 'rollback' : 'cancel';
        await Promise.all(selected.map(({ runId }) => services.runtime.stop(owner, runId, reason)));
        set.status = 204;
      },
      {
        ...{ parse: 'json', body: CancelMany, query: Type.Object({ action: Type.Optional(Action) }) },
        response: { 204: Type.Void({ description: 'The runs have stopped' }) },
        detail: detail('Stop several runs', READ_ERRORS),
      },
    )
    .get(
      '/:run_id/stream',
      async ({ params: { run_id }, request }) =>
        followRun(services, await services.runtime.run(ownerOf(request), run_id), { request }),
      {
        params: Type.Object({ run_id: Type.String() }),
        detail: detail('Stream a run: replays the events after Last-Event-ID, then sends new ones', {
          ...READ_ERRORS,
          ...EVENTS,
        }),
      },
    );

const ALL = { limit: MAX_RUNS, offset: 0 };
