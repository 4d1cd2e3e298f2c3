/** POST /runs/{run_id}/calls/replay: repeats a model call of a run, with changes. The run and its thread don't change. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { toCompletionRequest, WireToolCall } from '../../runtime/replays/call-request.ts';
import type { ReplayedCall } from '../../runtime/replays/replay.ts';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import type { Connections } from '../connection.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { endedFields, Nullable, toEndedFields, toWireToolCall } from './call-shape.ts';
import { ReplayBody } from './replay-body.ts';
import { runParams } from './shape.ts';

const Replayed = Type.Object(
  {
    ...endedFields,
    finish_reason: Nullable(
      "The provider's value, such as stop, length or tool_calls. Null if the call failed",
    ),
    tool_calls: Type.Array(WireToolCall, {
      description: "The model's tool calls, which are not executed",
    }),
  },
  { title: 'ReplayedCall' },
);

const Replay = Type.Object(
  {
    calls: Type.Array(Replayed, {
      description: '`n` calls, each with its response or its error',
    }),
  },
  { title: 'Replay' },
);

export const runReplayRoutes = ({
  runtime,
  countChat,
}: Pick<Services, 'runtime'> & Pick<Connections, 'countChat'>) =>
  new Elysia({ prefix: '/api/v1/runs', name: 'run-replay' }).post(
    '/:run_id/calls/replay',
    async ({ params: { run_id }, body, request, set }) => {
      const { model, n: times = 1 } = body;
      for (let call = 0; call < times; call++) await countChat(request);
      const { traceparent } = requestContext(set);
      const { signal } = request;
      const calls = await runtime.replay({
        ...{ owner: ownerOf(request), runId: run_id, model, times, signal, traceparent },
        request: toCompletionRequest(body),
      });
      return { calls: calls.map(toReplayed) };
    },
    {
      parse: 'json',
      params: runParams,
      body: ReplayBody,
      response: { 200: Replay },
      detail: {
        summary: 'Repeat a model call with changes, without executing tools or saving anything',
        description:
          "Each call counts as a chat in the rate limit, and towards the budgets and usage of the run's workflow.",
        tags: ['runs'],
        responses: errorResponses(
          ...([
            'INVALID_REQUEST',
            'INVALID_JSON',
            'UNAUTHORIZED',
            'PAYLOAD_TOO_LARGE',
            'RATE_LIMITED',
          ] as const),
          ...(['RUN_NOT_FOUND', 'RUN_CANCELLED', 'RUN_TIMEOUT', 'BUDGET_EXCEEDED'] as const),
          ...(['OVERLOADED', 'SHUTTING_DOWN'] as const),
        ),
      },
    },
  );

function toReplayed({ call, toolCalls, finish }: ReplayedCall): Static<typeof Replayed> {
  return { ...toEndedFields(call), finish_reason: finish, tool_calls: toolCalls.map(toWireToolCall) };
}
