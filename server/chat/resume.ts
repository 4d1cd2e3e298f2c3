/** POST /threads/{thread_id}/resume: answers the interrupts of a thread. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { idempotencyOf } from './idempotency.ts';
import { formOf, replies, reply, replyHeaders, requestContext, streamed } from './reply.ts';
import { NodeNames } from './schema.ts';

export const ResumeRequest = Type.Object(
  {
    value: Type.Optional(
      Type.Unknown({ description: 'The answer if there is only one interrupt: any JSON value' }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Answers by interrupt_id. Interrupts without an answer stay pending',
      }),
    ),
    goto: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }))], {
        description: "The nodes to go to, as in LangGraph's Command",
      }),
    ),
    update: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Values to write to the graph's channels, as in LangGraph's Command",
      }),
    ),
    interrupt_before: Type.Optional(NodeNames),
    interrupt_after: Type.Optional(NodeNames),
    step: Type.Optional(
      Type.Boolean({
        description: 'Run only the next nodes, then stop again. Also steps through subgraphs',
      }),
    ),
    stream: Type.Optional(Type.Boolean({ description: 'The same as Accept: text/event-stream' })),
    on_disconnect: Type.Optional(
      Type.Union([Type.Literal('cancel'), Type.Literal('continue')], {
        default: 'cancel',
        description: 'Whether the run is cancelled if the client disconnects before its end',
      }),
    ),
  },
  { title: 'ResumeRequest', additionalProperties: true },
);
export type ResumeRequest = Static<typeof ResumeRequest>;

export const resumeRoutes = ({ runtime }: Services) =>
  new Elysia({ prefix: '/api/v1', name: 'resume' }).post(
    '/threads/:thread_id/resume',
    async ({ params: { thread_id }, body, request, set }) => {
      const { value, values, goto, update, stream, on_disconnect } = body;
      const { interrupt_before: interruptBefore, interrupt_after: interruptAfter, step } = body;
      const idempotency = idempotencyOf(request, [
        ...[thread_id, value ?? null, stream ?? null, on_disconnect ?? null],
        ...[values ?? null, goto ?? null, update ?? null],
        ...[interruptBefore ?? null, interruptAfter ?? null, step ?? null],
      ]);
      const form = formOf(request, stream);
      const turn = await runtime.resume({
        owner: ownerOf(request),
        threadId: thread_id,
        value,
        values,
        goto: typeof goto === 'string' ? [goto] : goto,
        update,
        ...{ interruptBefore, interruptAfter, step },
        whole: form === 'json',
        ...requestContext(set),
        idempotency,
      });
      const continues = idempotency !== undefined || on_disconnect === 'continue';
      return reply(runtime, turn, { request, set, form, continues });
    },
    {
      parse: 'json',
      params: Type.Object({ thread_id: Type.String({ description: 'The id of the thread' }) }),
      body: ResumeRequest,
      response: replies,
      detail: {
        summary: "Answer a thread's interrupt; the response has the same forms as that of chat",
        tags: ['threads'],
        parameters: replyHeaders,
        responses: {
          ...streamed,
          ...errorResponses(
            ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'] as const),
            ...(['INTERRUPT_AMBIGUOUS', 'INTERRUPT_NOT_FOUND'] as const),
            ...(['NOT_INTERRUPTED', 'THREAD_BUSY', 'IDEMPOTENCY_MISMATCH', 'RUN_CANCELLED'] as const),
            ...([
              'PAYLOAD_TOO_LARGE',
              'MODEL_CALL_FAILED',
              'WORKFLOW_CHANGED',
              'RUN_TIMEOUT',
              'RUN_CRASHED',
            ] as const),
            ...(['BUDGET_EXCEEDED', 'INTERNAL_ERROR', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
          ),
        },
      },
    },
  );
