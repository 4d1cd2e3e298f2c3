/** POST /v1/responses: starts the turn of a response, and responds with its body or its stream. */
import type { Context } from 'elysia';
import type { Turn } from '../../../runtime/intake/turn.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Run, ResponseRequest as StoredRequest } from '../../../state/threads/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { idempotencyOf } from '../../chat/idempotency.ts';
import { requestContext } from '../../chat/reply.ts';
import { onDisconnect } from '../../http/streams/disconnect.ts';
import type { Services } from '../../services.ts';
import { resumeValuesOf } from '../interrupt-calls.ts';
import { findModel } from '../models.ts';
import { deleteThreadAfter, THREAD_HEADER } from '../thread.ts';
import { rejectUnsupported } from '../unsupported-parameters.ts';
import { findResponse } from './find-response.ts';
import { conversationNotFound, threadIdOf } from './ids.ts';
import { type Input, inputOf } from './input.ts';
import { currentResponse, rejectUnanswerable, responseStream } from './read-response.ts';
import type { ResponseRequest } from './schema.ts';

interface CreateCall {
  body: ResponseRequest;
  request: Request;
  set: Context['set'];
}

/** What the response continues: a previous response, a thread, or neither. */
interface Continuation {
  previous: Run | undefined;
  threadId: string | undefined;
}

/** Throws INVALID_REQUEST, and the errors of the turn. */
export async function create(services: Services, call: CreateCall) {
  const { body, request } = call;
  const { runtime } = services;
  rejectUnsupported(body);
  const { background, store = true } = body;
  if (background && !store) throw invalid('background: requires store');
  const continuation = await continuationOf(services, request, body);
  const onThread = continuation.previous !== undefined || continuation.threadId !== undefined;
  const input = inputOf(body, { onThread });
  const turn = await startTurn(services, call, { continuation, input });
  const owner = ownerOf(request);
  const run = await runtime.run(owner, turn.runId);
  if (!run.request.temporary) call.set.headers[THREAD_HEADER] = run.threadId;
  if (turn.replayed) call.set.headers['idempotency-replayed'] = 'true';
  const done = run.request.temporary ? deleteThreadAfter(runtime, { request, turn }) : async () => {};
  return respond(services, call, { turn, run, done });
}

async function continuationOf(
  { runtime, archive }: Services,
  request: Request,
  { previous_response_id, conversation }: ResponseRequest,
): Promise<Continuation> {
  const owner = ownerOf(request);
  if (conversation && previous_response_id)
    throw invalid('conversation: cannot be combined with previous_response_id');
  if (previous_response_id) {
    const previous = await findResponse(runtime, request, previous_response_id, 'previous_response_id');
    return { previous, threadId: undefined };
  }
  if (!conversation) return { previous: undefined, threadId: undefined };
  const threadId = threadIdOf(typeof conversation === 'string' ? conversation : conversation.id);
  if (!(await archive.threads.find(owner, threadId))) throw conversationNotFound('conversation');
  return { previous: undefined, threadId };
}

async function startTurn(
  { registry, runtime, continueRun }: Services,
  { body, request, set }: CreateCall,
  {
    continuation: { previous, threadId },
    input: { items, turnInput },
  }: { continuation: Continuation; input: Input },
): Promise<Turn> {
  const workflow = findModel(registry, body.model).name;
  const response = storedRequest(body, items);
  const common = {
    ...{ owner: ownerOf(request), response, ...requestContext(set) },
    // A background response may be streamed later.
    whole: !body.stream && !body.background,
    idempotency: response.store ? idempotencyOf(request, body) : undefined,
  };
  const resumedThread = threadId ?? previous?.threadId;
  if ('answers' in turnInput && resumedThread !== undefined)
    return runtime.resume({ ...common, threadId: resumedThread, ...resumeValuesOf(turnInput.answers) });
  const turn = {
    ...{ ...common, prompt: undefined, ...turnInput, workflow, strategy: 'enqueue' as const },
    temporary: !response.store && threadId === undefined,
    userId: body.user ?? undefined,
    tokenBudget: body.max_output_tokens ?? undefined,
  };
  return previous ? continueRun(turn, previous.runId) : runtime.turn({ ...turn, threadId });
}

function storedRequest(body: ResponseRequest, items: Input['items']): StoredRequest {
  const { instructions, max_output_tokens, previous_response_id, conversation } = body;
  return {
    store: body.store ?? true,
    background: body.background ?? false,
    items,
    metadata: body.metadata ?? {},
    ...(instructions && { instructions }),
    ...(max_output_tokens && { maxOutputTokens: max_output_tokens }),
    ...(previous_response_id && { previousId: previous_response_id }),
    ...(conversation && {
      conversationId: typeof conversation === 'string' ? conversation : conversation.id,
    }),
  };
}

interface StartedTurn {
  turn: Turn;
  run: Run;
  /** Deletes the thread if it isn't kept. */
  done(): Promise<void>;
}

/** Typed as the JSON body: Elysia doesn't accept a promise of either a value or a `Response`. */
async function respond(
  services: Services,
  { body, request, set }: CreateCall,
  { turn, run, done }: StartedTurn,
): Promise<Awaited<ReturnType<typeof currentResponse>>> {
  const { runtime } = services;
  const { background, stream } = body;
  const continues = background || request.headers.has('idempotency-key');
  const stopListening = continues ? () => {} : onDisconnect(request.signal, turn.cancel);
  turn.ended.finally(stopListening).catch(() => {});
  if (background || stream) await runtime.durable(turn.runId);
  const { requestId } = requestContext(set);
  if (stream)
    return (await responseStream(services, run, {
      ...{ signal: request.signal, requestId, after: -1, done },
    })) as never;
  if (background) return currentResponse(services, run);
  const response = turn.ended.then(async (ended) => {
    rejectUnanswerable(ended);
    return currentResponse(services, await runtime.run(run.owner, run.runId));
  });
  return response.finally(done);
}

function invalid(detail: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail });
}
