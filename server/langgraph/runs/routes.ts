/** Routes for runs on threads in LangGraph's protocol. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Run as StoredRun } from '../../../state/threads/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { onDisconnect } from '../../http/streams/disconnect.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { isTrue } from '../query-flag.ts';
import { findThread } from '../threads/find-thread.ts';
import { listRuns } from './list-runs.ts';
import { findRun, followRun, startAndStream, startAndWait, startInBackground } from './reply.ts';
import { Run, RunStatus, runBody } from './run-body.ts';
import { parseStreamModes, RunCreate } from './run-create.ts';
import { outputResponse, waitForOutput } from './run-end.ts';

const thread = Type.Object({ thread_id: Type.String() });
const run = Type.Object({ thread_id: Type.String(), run_id: Type.String() });
const Flag = Type.Optional(
  Type.String({ pattern: '^(true|false|0|1)$', description: 'true, false, 1 or 0' }),
);
const IntegerText = (description: string) =>
  Type.Optional(
    Type.String({ pattern: '^\\d{1,6}$', description, error: 'expected an integer from 0 to 999999' }),
  );

const READ_ERRORS = textErrors('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'RUN_NOT_FOUND', 'INVALID_REQUEST');
const START_ERRORS = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_INPUT', 'UNAUTHORIZED'] as const),
  ...(['THREAD_NOT_FOUND', 'WORKFLOW_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'THREAD_BUSY'] as const),
  ...(['PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'BUDGET_EXCEEDED'] as const),
  ...(['CONFIGURATION_ERROR', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
);
const EVENTS = { 200: { description: 'A stream of events', content: { 'text/event-stream': {} } } };
const VALUES = { 200: { description: "The graph's output", content: { 'application/json': {} } } };
const detail = <Responses>(summary: string, responses: Responses) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const langgraphRunRoutes = (services: Services) =>
  new Elysia({ prefix: '/threads/:thread_id/runs', name: 'langgraph-runs' })
    .post(
      '',
      ({ params, body, request, set }) =>
        startInBackground(services, params.thread_id, { request, set, body }),
      {
        ...{ parse: 'json', params: thread, body: RunCreate, response: { 200: Run } },
        detail: detail('Start a run in the background', START_ERRORS),
      },
    )
    .post(
      '/stream',
      ({ params, body, request, set }) => startAndStream(services, params.thread_id, { request, set, body }),
      {
        ...{ parse: 'json', params: thread, body: RunCreate },
        detail: detail('Start a run and stream it', { ...START_ERRORS, ...EVENTS }),
      },
    )
    .post(
      '/wait',
      ({ params, body, request, set }) => startAndWait(services, params.thread_id, { request, set, body }),
      {
        ...{ parse: 'json', params: thread, body: RunCreate },
        detail: detail('Start a run and wait for its output', { ...START_ERRORS, ...VALUES }),
      },
    )
    .get(
      '',
      async ({ params, query, request }) => {
        const { key } = await findThread(services.archive, request, params.thread_id);
        const { limit = '10', offset = '0', status } = query;
        const page = { limit: Number(limit), offset: Number(offset), status };
        return (await listRuns(services.archive, { owner: ownerOf(request), thread: key }, page)).map(
          runBody,
        );
      },
      {
        params: thread,
        query: Type.Object({
          limit: IntegerText('Default: 10'),
          offset: IntegerText('Default: 0'),
          status: Type.Optional(RunStatus),
        }),
        response: { 200: Type.Array(Run) },
        detail: detail('List the runs of a thread, newest first', READ_ERRORS),
      },
    )
    .get('/:run_id', async ({ params, request }) => runBody(await findRun(services, request, params)), {
      ...{ params: run, response: { 200: Run }, detail: detail('Get a run', READ_ERRORS) },
    })
    .delete(
      '/:run_id',
      async ({ params, request, set }) => {
        const found = await findRun(services, request, params);
        await services.runtime.stop(found.owner, found.runId, 'cancel');
        await services.archive.removal.run(found.runId);
        set.status = 204;
      },
      {
        params: run,
        response: {
          204: Type.Void({ description: 'The run is deleted; the state of its thread is unchanged' }),
        },
        detail: detail('Delete a run', READ_ERRORS),
      },
    )
    .get(
      '/:run_id/join',
      async ({ params, query, request }) => {
        const found = await findRun(services, request, params);
        if (isTrue(query.cancel_on_disconnect)) stopWithClient(services, found, request);
        return outputResponse(waitForOutput(services, found), {});
      },
      {
        ...{ params: run, query: Type.Object({ cancel_on_disconnect: Flag }) },
        detail: detail('Wait for the output of a run', { ...READ_ERRORS, ...VALUES }),
      },
    )
    .get(
      '/:run_id/stream',
      async ({ params, query, request }) => {
        const found = await findRun(services, request, params);
        if (isTrue(query.cancel_on_disconnect)) stopWithClient(services, found, request);
        const values = new URL(request.url).searchParams.getAll('stream_mode');
        // If no mode is given, the Python client sends an empty value.
        const names = values.flatMap((value) => value.split(',')).filter((name) => name !== '');
        const modes = names.length > 0 ? parseStreamModes(names) : undefined;
        return followRun(services, found, { request, modes });
      },
      {
        ...{ params: run, query: Type.Object({ cancel_on_disconnect: Flag }) },
        detail: detail('Stream a run: replays the events after Last-Event-ID, then sends new ones', {
          ...READ_ERRORS,
          ...EVENTS,
        }),
      },
    )
    .post(
      '/:run_id/cancel',
      async ({ params, query, request, set }) => {
        const found = await findRun(services, request, params);
        const reason = query.action === 'rollback' ? 'rollback' : 'cancel';
        const stopped = services.runtime.stop(found.owner, found.runId, reason);
        stopped.catch(() => {});
        if (isTrue(query.wait)) await stopped;
        // Nothing has to stop, so the next request should already see the end.
        else if (found.status === 'queued') await Promise.race([stopped, Bun.sleep(QUEUED_STOP_MS)]);
        set.status = isTrue(query.wait) ? 204 : 202;
      },
      {
        params: run,
        query: Type.Object({
          wait: Flag,
          action: Type.Optional(Type.Union([Type.Literal('interrupt'), Type.Literal('rollback')])),
        }),
        response: {
          202: Type.Void({ description: 'The run is being stopped' }),
          204: Type.Void({ description: 'The run has stopped' }),
        },
        detail: detail(
          'Stop a run: `interrupt` keeps the steps that it completed, `rollback` removes them',
          READ_ERRORS,
        ),
      },
    );

/** Longer only if the run begins at this moment. */
const QUEUED_STOP_MS = 1_000;

function stopWithClient({ runtime }: Services, { owner, runId }: StoredRun, { signal }: Request): void {
  onDisconnect(signal, () => void runtime.stop(owner, runId, 'cancel').catch(() => {}));
}
