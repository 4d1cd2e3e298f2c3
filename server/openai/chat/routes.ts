/** POST /v1/chat/completions: runs a turn on a thread, or on a conversation that the client keeps. */
import type { Context } from 'elysia';
import { Elysia } from 'elysia';
import { ownerOf } from '../../authentication/identity.ts';
import { idempotencyOf } from '../../chat/idempotency.ts';
import { requestContext } from '../../chat/reply.ts';
import type { Services } from '../../services.ts';
import { openAIErrors } from '../errors.ts';
import { resumeValuesOf } from '../interrupt-calls.ts';
import { findModel } from '../models.ts';
import { requestedThreadId, THREAD_HEADER } from '../thread.ts';
import { rejectUnsupported } from '../unsupported-parameters.ts';
import { reply } from './reply.ts';
import { Completion, CompletionRequest } from './schema.ts';
import { inputOnThread, inputWithoutThread } from './turn-input.ts';

export const completionRoutes = (services: Services) =>
  new Elysia({ prefix: '/v1', name: 'openai-chat' }).post(
    '/chat/completions',
    ({ body, request, set }) => complete(services, { body, request, set }),
    {
      parse: 'json',
      body: CompletionRequest,
      response: { 200: Completion },
      detail: {
        summary: 'Create a chat completion: send messages to a workflow',
        tags: ['openai'],
        parameters: [
          header('X-Thread-Id', 'The id of the thread, which is created if it does not exist'),
          header('Idempotency-Key', 'With a thread: the same key and body return the stored answer'),
        ],
        responses: {
          200: {
            description: 'The completion, or a stream of its chunks',
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

interface CompletionCall {
  body: CompletionRequest;
  request: Request;
  set: Context['set'];
}

async function complete(services: Services, { body, request, set }: CompletionCall): Promise<Completion> {
  const { registry, runtime } = services;
  rejectUnsupported(body);
  const workflow = findModel(registry, body.model);
  const threadId = requestedThreadId(request, body.metadata);
  if (threadId !== undefined) set.headers[THREAD_HEADER] = threadId;
  const idempotency = threadId === undefined ? undefined : idempotencyOf(request, body);
  const call = { owner: ownerOf(request), whole: !body.stream, ...requestContext(set), idempotency };
  const input =
    threadId === undefined ? inputWithoutThread(body.messages) : inputOnThread(body.messages, threadId);
  const turn =
    'answers' in input
      ? runtime.resume({ ...call, threadId: input.threadId, ...resumeValuesOf(input.answers) })
      : runtime.turn({
          ...{ ...call, ...input, workflow: workflow.name, threadId, temporary: threadId === undefined },
          strategy: 'enqueue',
          userId: body.user ?? undefined,
          tokenBudget: body.max_completion_tokens ?? undefined,
        });
  return reply(services, await turn, {
    ...{ request, set, body, workflow, threadId },
    resumes: 'answers' in input,
    continues: idempotency !== undefined,
  });
}

function header(name: string, description: string) {
  return { name, in: 'header' as const, required: false, description, schema: { type: 'string' as const } };
}
