/** POST /v1/chat/completions: a turn on a thread, or one on a conversation that the client keeps. */
import type { Context } from 'elysia';
import { Elysia } from 'elysia';
import { ownerOf } from '../../authentication/identity.ts';
import { idempotencyOf } from '../../chat/idempotency.ts';
import { callOf } from '../../chat/reply.ts';
import type { Services } from '../../services.ts';
import { openAIErrors } from '../errors.ts';
import { answersOf } from '../interrupt-calls.ts';
import { modelNamed } from '../models.ts';
import { refuseParameters } from '../refused-parameters.ts';
import { THREAD_HEADER, threadNamed } from '../thread.ts';
import { askedInWhole, askedOnThread } from './asked.ts';
import { reply } from './reply.ts';
import { Completion, CompletionRequest } from './schema.ts';

export const completionRoutes = (services: Services) =>
  new Elysia({ prefix: '/v1', name: 'openai-chat' }).post(
    '/chat/completions',
    ({ body, request, set }) => complete(services, { body, request, set }),
    {
      parse: 'json',
      body: CompletionRequest,
      response: { 200: Completion },
      detail: {
        summary: 'Send messages to a workflow and get its answer, as OpenAI has it',
        tags: ['openai'],
        parameters: [
          header('X-Thread-Id', 'The thread; a new one if there is none of that id'),
          header('Idempotency-Key', 'On a thread: the same key and body return the stored answer'),
        ],
        responses: {
          200: {
            description: 'The completion, or its chunks as they come',
            content: { 'text/event-stream': {} },
          },
          ...openAIErrors(
            ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_INPUT', 'UNAUTHORIZED'] as const),
            ...(['RATE_LIMITED', 'WORKFLOW_NOT_FOUND', 'THREAD_NOT_FOUND', 'THREAD_BUSY'] as const),
            ...(['NOT_INTERRUPTED', 'INTERRUPT_NOT_FOUND', 'IDEMPOTENCY_MISMATCH', 'RUN_CANCELLED'] as const),
            ...(['PAYLOAD_TOO_LARGE', 'MODEL_CALL_FAILED', 'CONFIGURATION_ERROR', 'RUN_TIMEOUT'] as const),
            ...(['WORKFLOW_CHANGED', 'RUN_CRASHED', 'BUDGET_EXCEEDED', 'INTERNAL_ERROR'] as const),
            ...(['OVERLOADED', 'SHUTTING_DOWN'] as const),
          ),
        },
      },
    },
  );

interface Asking {
  body: CompletionRequest;
  request: Request;
  set: Context['set'];
}

async function complete(services: Services, { body, request, set }: Asking): Promise<Completion> {
  const { registry, runtime } = services;
  refuseParameters(body);
  const workflow = modelNamed(registry, body.model);
  const threadId = threadNamed(request, body.metadata);
  if (threadId !== undefined) set.headers[THREAD_HEADER] = threadId;
  const idempotency = threadId === undefined ? undefined : idempotencyOf(request, body);
  const call = { owner: ownerOf(request), whole: !body.stream, ...callOf(set), idempotency };
  const asked = threadId === undefined ? askedInWhole(body.messages) : askedOnThread(body.messages, threadId);
  const turn =
    'answers' in asked
      ? runtime.resume({ ...call, threadId: asked.threadId, ...answersOf(asked.answers) })
      : runtime.turn({
          ...{ ...call, ...asked, workflow: workflow.name, threadId, temporary: threadId === undefined },
          strategy: 'enqueue',
          userId: body.user ?? undefined,
          tokenBudget: body.max_completion_tokens ?? undefined,
        });
  return reply(services, await turn, {
    ...{ request, set, body, workflow, threadId },
    resumes: 'answers' in asked,
    lasts: idempotency !== undefined,
  });
}

function header(name: string, description: string) {
  return { name, in: 'header' as const, required: false, description, schema: { type: 'string' as const } };
}
