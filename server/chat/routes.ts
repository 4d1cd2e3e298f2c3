/** POST /chat: runs a turn on a thread. */
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { idempotencyOf } from './idempotency.ts';
import { formOf, replies, reply, replyHeaders, requestContext, streamed } from './reply.ts';
import { type ChatRequest, ChatRequest as ChatRequestSchema } from './schema.ts';

export const chatRoutes = ({ runtime }: Services) =>
  new Elysia({ prefix: '/api/v1', name: 'chat' }).post(
    '/chat',
    async ({ body, request, set }) => {
      const idempotency = idempotencyOf(request, knownFields(body));
      const form = formOf(request, body.stream);
      const turn = await runtime.turn({
        owner: ownerOf(request),
        workflow: body.conversation_flow,
        threadId: body.thread_id,
        prompt: body.user_prompt,
        input: body.input,
        context: body.context,
        configurable: body.configurable,
        interruptBefore: body.interrupt_before,
        interruptAfter: body.interrupt_after,
        recursionLimit: body.recursion_limit,
        checkpointId: body.checkpoint_id,
        userId: body.user_id,
        topic: body.topic,
        eventType: body.event_type,
        strategy: body.multitask_strategy ?? 'enqueue',
        tokenBudget: body.max_tokens_budget,
        deadlineSeconds: body.deadline_seconds,
        whole: form === 'json',
        ...requestContext(set),
        idempotency,
      });
      const continues = idempotency !== undefined || body.on_disconnect === 'continue';
      return reply(runtime, turn, { request, set, form, continues });
    },
    {
      parse: 'json',
      body: ChatRequestSchema,
      // In `transform`, because a body without content must be rejected before missing credentials are.
      transform({ body }) {
        const { user_prompt, input } = (body ?? {}) as Partial<ChatRequest>;
        if (user_prompt !== undefined || input !== undefined) return;
        throw new SkeinError('INVALID_REQUEST', { detail: 'user_prompt: required unless input is set' });
      },
      response: replies,
      detail: {
        summary: 'Send a message to a workflow and get its answer',
        tags: ['chat'],
        parameters: replyHeaders,
        responses: {
          ...streamed,
          ...errorResponses(
            ...([
              'INVALID_REQUEST',
              'INVALID_JSON',
              'INVALID_WORKFLOW_TYPE',
              'INVALID_WORKFLOW_INPUT',
            ] as const),
            ...([
              'UNAUTHORIZED',
              'RATE_LIMITED',
              'CHECKPOINT_NOT_FOUND',
              'THREAD_BUSY',
              'IDEMPOTENCY_MISMATCH',
              'RUN_CANCELLED',
              'PAYLOAD_TOO_LARGE',
            ] as const),
            ...([
              'MODEL_CALL_FAILED',
              'CONFIGURATION_ERROR',
              'RUN_TIMEOUT',
              'RUN_CRASHED',
              'BUDGET_EXCEEDED',
              'INTERNAL_ERROR',
            ] as const),
            ...(['OVERLOADED', 'SHUTTING_DOWN'] as const),
          ),
        },
      },
    },
  );

/** Unknown fields are ignored, so they must not change the digest of a request. */
function knownFields(body: ChatRequest): unknown {
  return Object.keys(ChatRequestSchema.properties).map((name) => body[name as keyof ChatRequest] ?? null);
}
