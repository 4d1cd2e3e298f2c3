/** Runs on threads over LangGraph's protocol. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Run as StoredRun } from '../../../state/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { whenCallerGone } from '../../http/caller-gone.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { isTrue } from '../query-flag.ts';
import { foundThread } from '../threads/find-thread.ts';
import { runsOf } from './listing.ts';
import { followRun, foundRun, startedRun, streamedRun, waitedRun } from './reply.ts';
import { Run, RunStatus, runBody } from './run-body.ts';
import { modesOf, RunCreate } from './run-create.ts';
import { endOf, whenEnded } from './run-end.ts';

const thread = Type.Object({ thread_id: Type.String() });
const run = Type.Object({ thread_id: Type.String(), run_id: Type.String() });
const Flag = Type.Optional(
  Type.String({ pattern: '^(true|false|0|1)$', description: 'true, false, 1 or 0' }),
);
const Count = (description: string) => Type.Optional(Type.String({ pattern: '^\\d{1,6}$', description }));

const FOUND = textErrors('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'RUN_NOT_FOUND', 'INVALID_REQUEST');
const ASKED = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_INPUT', 'UNAUTHORIZED'] as const),
  ...(['THREAD_NOT_FOUND', 'WORKFLOW_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'THREAD_BUSY'] as const),
  ...(['PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'BUDGET_EXCEEDED'] as const),
  ...(['CONFIGURATION_ERROR', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
);
const EVENTS = { 200: { description: 'The events', content: { 'text/event-stream': {} } } };
const VALUES = { 200: { description: "The graph's output", content: { 'application/json': {} } } };
const detail = <Responses>(summary: string, responses: Responses) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const langgraphRunRoutes = (services: Services) =>
  new Elysia({ prefix: '/threads/:thread_id/runs', name: 'langgraph-runs' })
    .post(
      '',
      ({ params, body, request, set }) => startedRun(services, params.thread_id, { request, set, body }),
      {
        ...{ parse: 'json', params: thread, body: RunCreate, response: { 200: Run } },
        detail: detail('Start a run in the background', ASKED),
      },
    )
    .post(
      '/stream',
      ({ params, body, request, set }) => streamedRun(services, params.thread_id, { request, set, body }),
      {
        ...{ parse: 'json', params: thread, body: RunCreate },
        detail: detail('Start a run and stream it', { ...ASKED, ...EVENTS }),
      },
    )
    .post(
      '/wait',
      ({ params, body, request, set }) => waitedRun(services, params.thread_id, { request, set, body }),
      {
        ...{ parse: 'json', params: thread, body: RunCreate },
        detail: detail('Start a run and wait for its output', { ...ASKED, ...VALUES }),
      },
    )
    .get(
      '',
      async ({ params, query, request }) => {
        const { key } = await foundThread(services.archive, request, params.thread_id);
        const { limit = '10', offset = '0', status } = query;
        const page = { limit: Number(limit), offset: Number(offset), status };
        return (await runsOf(services.archive, { owner: ownerOf(request), thread: key }, page)).map(runBody);
      },
      {
        params: thread,
        query: Type.Object({
          limit: Count('Default: 10'),
          offset: Count('Default: 0'),
          status: Type.Optional(RunStatus),
        }),
        response: { 200: Type.Array(Run) },
        detail: detail("A thread's runs, newest first", FOUND),
      },
    )
    .get('/:run_id', async ({ params, request }) => runBody(await foundRun(services, request, params)), {
      ...{ params: run, response: { 200: Run }, detail: detail('One run', FOUND) },
    })
    .delete(
      '/:run_id',
      async ({ params, request, set }) => {
        const found = await foundRun(services, request, params);
        await services.runtime.stop(found.owner, found.runId, 'cancel');
        await services.archive.removal.run(found.runId);
        set.status = 204;
      },
      {
        params: run,
        response: { 204: Type.Void({ description: 'It is no longer listed; the thread stays as it is' }) },
        detail: detail('Delete a run', FOUND),
      },
    )
    .get(
      '/:run_id/join',
      async ({ params, query, request }) => {
        const found = await foundRun(services, request, params);
        if (isTrue(query.cancel_on_disconnect)) stopWithClient(services, found, request);
        return whenEnded(endOf(services, found), {});
      },
      {
        ...{ params: run, query: Type.Object({ cancel_on_disconnect: Flag }) },
        detail: detail('Wait for its output', { ...FOUND, ...VALUES }),
      },
    )
    .get(
      '/:run_id/stream',
      async ({ params, query, request }) => {
        const found = await foundRun(services, request, params);
        if (isTrue(query.cancel_on_disconnect)) stopWithClient(services, found, request);
        const given = new URL(request.url).searchParams.getAll('stream_mode');
        // The Python client sends an empty one where its caller names none.
        const asked = given.flatMap((one) => one.split(',')).filter((one) => one !== '');
        const modes = asked.length > 0 ? modesOf(asked) : undefined;
        return followRun(services, found, { request, modes });
      },
      {
        ...{ params: run, query: Type.Object({ cancel_on_disconnect: Flag }) },
        detail: detail('Its stream: replayed after Last-Event-ID, then live', { ...FOUND, ...EVENTS }),
      },
    )
    .post(
      '/:run_id/cancel',
      async ({ params, query, request, set }) => {
        const found = await foundRun(services, request, params);
        const reason = query.action === 'rollback' ? 'rollback' : 'cancel';
        const stopped = services.runtime.stop(found.owner, found.runId, reason);
        stopped.catch(() => {});
        if (isTrue(query.wait)) await stopped;
        set.status = isTrue(query.wait) ? 204 : 202;
      },
      {
        params: run,
        query: Type.Object({
          wait: Flag,
          action: Type.Optional(Type.Union([Type.Literal('interrupt'), Type.Literal('rollback')])),
        }),
        response: {
          202: Type.Void({ description: 'It is being stopped' }),
          204: Type.Void({ description: 'It has stopped' }),
        },
        detail: detail('Stop a run: `interrupt` keeps what its nodes finished, `rollback` removes it', FOUND),
      },
    );

function stopWithClient({ runtime }: Services, { owner, runId }: StoredRun, { signal }: Request): void {
  whenCallerGone(signal, () => void runtime.stop(owner, runId, 'cancel').catch(() => {}));
}
