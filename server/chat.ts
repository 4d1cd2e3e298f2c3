/** POST /chat: a turn on a thread. */
import { Elysia } from 'elysia';
import type { EndedRun } from '../runtime/active-run.ts';
import type { Turn } from '../runtime/turn.ts';
import { SkeinError } from '../state/errors.ts';
import { type ChatRequest, ChatRequest as ChatRequestSchema, ChatResponse } from './chat-schema.ts';
import { errorResponses } from './error-schema.ts';
import { ownerOf } from './identity.ts';
import type { Services } from './services.ts';

export const chatRoutes = ({ runtime }: Services) =>
  new Elysia({ prefix: '/api/v1', name: 'chat' }).post(
    '/chat',
    async ({ body, request, set }) => {
      const idempotency = idempotencyOf(request, body);
      const turn = await runtime.turn({
        owner: ownerOf(request),
        workflow: body.conversation_flow,
        threadId: body.thread_id,
        prompt: body.user_prompt,
        userId: body.user_id,
        topic: body.topic,
        eventType: body.event_type,
        strategy: body.multitask_strategy ?? 'enqueue',
        tokenBudget: body.max_tokens_budget,
        deadlineSeconds: body.deadline_seconds,
        requestId: String(set.headers['x-request-id']),
        traceparent: set.headers.traceparent?.toString(),
        idempotency,
      });
      if (turn.replayed) set.headers['idempotency-replayed'] = 'true';
      const lasts = idempotency !== undefined || body.on_disconnect === 'continue';
      return toResponse(await whileListening(turn, request.signal, lasts));
    },
    {
      parse: 'json',
      body: ChatRequestSchema,
      response: { 200: ChatResponse },
      detail: {
        summary: 'Send a message to a workflow and get its answer',
        tags: ['chat'],
        responses: errorResponses(
          ...([
            'INVALID_REQUEST',
            'INVALID_JSON',
            'INVALID_WORKFLOW_TYPE',
            'INVALID_WORKFLOW_INPUT',
          ] as const),
          ...([
            'UNAUTHORIZED',
            'THREAD_BUSY',
            'IDEMPOTENCY_MISMATCH',
            'RUN_CANCELLED',
            'PAYLOAD_TOO_LARGE',
          ] as const),
          ...([
            'MODEL_CALL_FAILED',
            'CONFIGURATION_ERROR',
            'RUN_TIMEOUT',
            'BUDGET_EXCEEDED',
            'INTERNAL_ERROR',
          ] as const),
          ...(['OVERLOADED', 'SHUTTING_DOWN'] as const),
        ),
      },
    },
  );

/** The run is cancelled when its caller goes away, unless it lasts. */
async function whileListening(turn: Turn, signal: AbortSignal, lasts: boolean): Promise<EndedRun> {
  if (lasts) return turn.ended;
  if (signal.aborted) turn.cancel();
  signal.addEventListener('abort', turn.cancel, { once: true });
  try {
    return await turn.ended;
  } finally {
    signal.removeEventListener('abort', turn.cancel);
  }
}

function idempotencyOf(request: Request, body: ChatRequest): { key: string; digest: string } | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new SkeinError('INVALID_REQUEST', {
      detail: 'Idempotency-Key: expected 1 to 255 printable ASCII characters',
    });
  }
  // Unknown fields are dropped, so they make no other request.
  const known = Object.keys(ChatRequestSchema.properties).map(
    (name) => body[name as keyof ChatRequest] ?? null,
  );
  return { key, digest: new Bun.CryptoHasher('sha256').update(JSON.stringify(known)).digest('base64') };
}

function toResponse({
  runId,
  threadId,
  messageId,
  workflow,
  request,
  usage,
  result,
}: EndedRun): ChatResponse {
  return {
    thread_id: threadId,
    message_id: messageId,
    agent_response: result.agentResponse,
    token_count: usage.inputTokens + usage.outputTokens,
    followup_questions: result.followupQuestions,
    topic: request.topic ?? null,
    memory_summary: result.memorySummary,
    event_type: result.interrupt ? 'interrupt' : (request.eventType ?? null),
    run_id: runId,
    workflow,
    model: result.model,
    outputs: result.outputs.map(({ agent, content, data }) => ({ agent, content, data })),
    interrupt: result.interrupt && {
      interrupt_id: result.interrupt.interruptId,
      value: result.interrupt.value,
    },
  };
}
