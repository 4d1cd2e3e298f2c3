/** POST /api/v1/threads/{thread_id}/fork: a new thread that starts from a checkpoint, and runs on if it is to. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { callOf } from '../chat/reply.ts';
import { NodeNames } from '../chat/schema.ts';
import type { Connections } from '../connection.ts';
import { errorResponses } from '../http/error-schema.ts';
import type { Services } from '../services.ts';
import { ThreadBody, threadParams, toThreadBody } from './shape.ts';

const ForkRequest = Type.Object(
  {
    checkpoint_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "Default: the thread's head. Of a graph inside of a node: the fork starts where that was started, and goes on in it",
      }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Merged into the state, by channel; messages are {id?, role, content} and replace by id',
      }),
    ),
    replace: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "Put in place of the channel's value, past its reducer; a list of messages is given whole, as the checkpoint's `values` have it",
      }),
    ),
    run: Type.Optional(
      Type.Boolean({
        description:
          'Run on with the nodes that come next, with the context and configuration of the run that is forked',
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
          description: 'The run that goes on; absent where nothing comes next, or none was asked for',
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
      const asked = { owner: ownerOf(request), threadId: thread_id, checkpointId, values, replace };
      const stops = { interruptBefore: interrupt_before, interruptAfter: interrupt_after };
      if (run) await countChat(request);
      const { thread, runId } = run
        ? await runFork({ ...asked, ...stops, ...callOf(set) })
        : { thread: await fork(asked) };
      set.headers.location = `/api/v1/threads/${thread.threadId}`;
      return status(201, { ...toThreadBody(thread), ...(runId !== undefined && { run_id: runId }) });
    },
    {
      parse: 'json',
      params: threadParams,
      body: ForkRequest,
      response: { 201: ForkBody },
      detail: {
        summary: 'Make a new thread that starts from a checkpoint of this one',
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
