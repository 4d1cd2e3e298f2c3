/** POST /threads/{thread_id}/fork: creates a thread from a checkpoint, and with `run` continues there. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import { NodeNames } from '../chat/schema.ts';
import type { Connections } from '../connection.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { ThreadBody, threadParams, toThreadBody } from './shape.ts';

const ForkRequest = Type.Object(
  {
    checkpoint_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "The checkpoint to start from (default: the thread's head). A checkpoint of a subgraph starts at its node and continues in the subgraph",
      }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Updates of the state by channel, merged with reducers. Messages are {id?, role, content} and replace messages with the same id',
      }),
    ),
    replace: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "New values by channel, without reducers. A list of messages must be complete, in the format of the checkpoint's `values`",
      }),
    ),
    run: Type.Optional(
      Type.Boolean({
        description: 'Continue with the next nodes, with the context and configuration of the forked run',
      }),
    ),
    interrupt_before: Type.Optional(NodeNames),
    interrupt_after: Type.Optional(NodeNames),
  },
  { title: 'ForkRequest', additionalProperties: true },
);

const ForkBody = Type.Composite(
  [
    ThreadBody,
    Type.Object({
      run_id: Type.Optional(
        Type.String({
          description: 'The run that continues. Omitted without `run`, or if there is no next node',
        }),
      ),
    }),
  ],
  { title: 'Fork' },
);

export const forkRoutes = ({ fork, runFork, countChat }: Services & Pick<Connections, 'countChat'>) =>
  new Elysia({ prefix: '/api/v1/threads', name: 'forks' }).post(
    '/:thread_id/fork',
    async ({ params: { thread_id }, body, request, set, status }) => {
      const { checkpoint_id: checkpointId, values, replace, run, interrupt_before, interrupt_after } = body;
      const source = { owner: ownerOf(request), threadId: thread_id, checkpointId, values, replace };
      const breakpoints = { interruptBefore: interrupt_before, interruptAfter: interrupt_after };
      if (run) await countChat(request);
      const { thread, runId } = run
        ? await runFork({ ...source, ...breakpoints, ...requestContext(set) })
        : { thread: await fork(source) };
      set.headers.location = `/api/v1/threads/${thread.threadId}`;
      return status(201, { ...toThreadBody(thread), ...(runId !== undefined && { run_id: runId }) });
    },
    {
      parse: 'json',
      params: threadParams,
      body: ForkRequest,
      response: { 201: ForkBody },
      detail: {
        summary: 'Create a thread from a checkpoint of this one',
        tags: ['threads'],
        responses: errorResponses(
          ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_TYPE', 'UNAUTHORIZED'] as const),
          ...(['THREAD_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'PAYLOAD_TOO_LARGE'] as const),
          ...([
            'CONFIGURATION_ERROR',
            'RATE_LIMITED',
            'BUDGET_EXCEEDED',
            'OVERLOADED',
            'SHUTTING_DOWN',
          ] as const),
        ),
      },
    },
  );
