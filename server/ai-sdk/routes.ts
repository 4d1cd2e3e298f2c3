/** /ai/{workflow}: the back end of the AI SDK's `useChat`. A chat is a thread. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { idempotencyOf } from '../chat/idempotency.ts';
import { requestContext } from '../chat/reply.ts';
import { ThreadId } from '../http/schemas/thread-id.ts';
import { textErrors } from '../langgraph/errors.ts';
import type { Services } from '../services.ts';
import { findRunnable } from '../workflows/find-runnable.ts';
import { type RequestContext, replay, reply } from './reply.ts';
import { AiChatRequest } from './schema.ts';
import { resumeTurn, startTurn, unfinishedRuns } from './start-turn.ts';

const params = Type.Object({ workflow: Type.String(), chat_id: ThreadId });

const STREAM = { description: "The AI SDK's UI message stream", content: { 'text/event-stream': {} } };

export const aiSdkRoutes = (services: Services) =>
  new Elysia({ prefix: '/ai/:workflow', name: 'ai-sdk' })
    .post(
      '',
      ({ params: { workflow }, body, request, set }) => chat(services, workflow, body, { request, set }),
      {
        parse: 'json',
        params: Type.Object({ workflow: Type.String() }),
        body: AiChatRequest,
        detail: {
          summary: "Run a turn of a chat (the AI SDK's useChat)",
          tags: ['ai-sdk'],
          parameters: [
            {
              ...{ name: 'Idempotency-Key', in: 'header' as const, required: false },
              description: 'The same key and body return the stored answer for 24 hours',
              schema: { type: 'string' as const },
            },
          ],
          responses: {
            200: STREAM,
            ...textErrors(
              ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_INPUT', 'UNAUTHORIZED'] as const),
              ...(['RATE_LIMITED', 'WORKFLOW_NOT_FOUND', 'THREAD_NOT_FOUND', 'THREAD_BUSY'] as const),
              ...(['NOT_INTERRUPTED', 'INTERRUPT_NOT_FOUND', 'CHECKPOINT_NOT_FOUND'] as const),
              ...(['IDEMPOTENCY_MISMATCH', 'PAYLOAD_TOO_LARGE', 'CONFIGURATION_ERROR'] as const),
              ...([
                'WORKFLOW_CHANGED',
                'BUDGET_EXCEEDED',
                'INTERNAL_ERROR',
                'OVERLOADED',
                'SHUTTING_DOWN',
              ] as const),
            ),
          },
        },
      },
    )
    .get(
      '/:chat_id/stream',
      async ({ params: { workflow, chat_id }, request, set, status }) => {
        findRunnable(services.registry, workflow, 'workflow');
        const run = (await unfinishedRuns(services, ownerOf(request), chat_id))[0];
        return run ? replay(services, run, { request, set }) : status(204, undefined as never);
      },
      {
        params,
        detail: {
          summary:
            'Stream the message of the running turn of a chat from its beginning; 204 if no turn is running',
          tags: ['ai-sdk'],
          responses: {
            200: STREAM,
            204: { description: 'No turn is running' },
            ...textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND'),
          },
        },
      },
    )
    .post(
      '/:chat_id/stop',
      async ({ params: { workflow, chat_id }, request, status }) => {
        findRunnable(services.registry, workflow, 'workflow');
        const owner = ownerOf(request);
        const runs = await unfinishedRuns(services, owner, chat_id);
        await Promise.all(runs.map(({ runId }) => services.runtime.stop(owner, runId, 'cancel')));
        return status(204, undefined as never);
      },
      {
        params,
        detail: {
          summary: 'Cancel the turn of a chat; its stream ends, and keeps the text so far',
          tags: ['ai-sdk'],
          responses: {
            204: { description: 'The turn has been stopped, or no turn was running' },
            ...textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND', 'SHUTTING_DOWN'),
          },
        },
      },
    );

async function chat(
  services: Services,
  name: string,
  body: AiChatRequest,
  context: RequestContext,
): Promise<Response> {
  const { request, set } = context;
  const workflow = findRunnable(services.registry, name, 'workflow');
  const idempotency = idempotencyOf(request, [workflow.name, body]);
  const call = { owner: ownerOf(request), threadId: body.id, ...requestContext(set), idempotency };
  const last = body.messages.at(-1);
  const resumes = last?.role === 'assistant';
  const turn = await (resumes
    ? resumeTurn(services, last, call)
    : startTurn(services, workflow, { call, body }));
  const continues = idempotency !== undefined || body.on_disconnect !== 'cancel';
  return reply(services, turn, { ...context, workflow, resumes, continues });
}
