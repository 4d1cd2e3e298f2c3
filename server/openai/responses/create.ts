/** POST /v1/responses: accepts the turn that a response stands for, and answers as it was asked to. */
import type { Context } from 'elysia';
import type { Turn } from '../../../runtime/intake/turn.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Run, ResponseRequest as StoredRequest } from '../../../state/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { idempotencyOf } from '../../chat/idempotency.ts';
import { callOf } from '../../chat/reply.ts';
import { whenCallerGone } from '../../http/caller-gone.ts';
import type { Services } from '../../services.ts';
import { answersOf } from '../interrupt-calls.ts';
import { modelNamed } from '../models.ts';
import { refuseParameters } from '../refused-parameters.ts';
import { forgetting, THREAD_HEADER } from '../thread.ts';
import { foundResponse } from './find-response.ts';
import { noConversation, threadIdOf } from './ids.ts';
import { type Input, inputOf } from './input.ts';
import { refuseUnanswered, responseStream, wholeResponse } from './log.ts';
import type { ResponseRequest } from './schema.ts';

export interface Asking {
  body: ResponseRequest;
  request: Request;
  set: Context['set'];
}

/** Where it goes on. */
interface Continuation {
  previous: Run | undefined;
  threadId: string | undefined;
}

export async function create(services: Services, asking: Asking) {
  const { body, request } = asking;
  const { runtime } = services;
  refuseParameters(body);
  const { background, store = true } = body;
  if (background && !store) throw invalid('background: takes store, which keeps the response');
  const place = await placeOf(services, request, body);
  const onThread = place.previous !== undefined || place.threadId !== undefined;
  const input = inputOf(body, { onThread });
  const turn = await accepted(services, asking, { place, input });
  const owner = ownerOf(request);
  const run = await runtime.run(owner, turn.runId);
  if (!run.request.temporary) asking.set.headers[THREAD_HEADER] = run.threadId;
  if (turn.replayed) asking.set.headers['idempotency-replayed'] = 'true';
  const done = run.request.temporary ? forgetting(runtime, { request, turn }) : async () => {};
  return answered(services, asking, { turn, run, done });
}

async function placeOf(
  { runtime, archive }: Services,
  request: Request,
  { previous_response_id, conversation }: ResponseRequest,
): Promise<Continuation> {
  const owner = ownerOf(request);
  if (conversation && previous_response_id)
    throw invalid('conversation: give either this or previous_response_id');
  if (previous_response_id) {
    const previous = await foundResponse(runtime, request, previous_response_id, 'previous_response_id');
    return { previous, threadId: undefined };
  }
  if (!conversation) return { previous: undefined, threadId: undefined };
  const threadId = threadIdOf(typeof conversation === 'string' ? conversation : conversation.id);
  if (!(await archive.threads.find(owner, threadId))) throw noConversation('conversation');
  return { previous: undefined, threadId };
}

async function accepted(
  { registry, runtime, goOn }: Services,
  { body, request, set }: Asking,
  { place: { previous, threadId }, input: { items, asked } }: { place: Continuation; input: Input },
): Promise<Turn> {
  const workflow = modelNamed(registry, body.model).name;
  const response = storedRequest(body, items);
  const call = {
    ...{ owner: ownerOf(request), response, ...callOf(set) },
    // Readers of a background response may follow it.
    whole: !body.stream && !body.background,
    idempotency: response.store ? idempotencyOf(request, body) : undefined,
  };
  const answersOn = threadId ?? previous?.threadId;
  if ('answers' in asked && answersOn !== undefined)
    return runtime.resume({ ...call, threadId: answersOn, ...answersOf(asked.answers) });
  const turn = {
    ...{ ...call, prompt: undefined, ...asked, workflow, strategy: 'enqueue' as const },
    temporary: !response.store && threadId === undefined,
    userId: body.user ?? undefined,
    tokenBudget: body.max_output_tokens ?? undefined,
  };
  return previous ? goOn(turn, previous.runId) : runtime.turn({ ...turn, threadId });
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

interface Accepted {
  turn: Turn;
  run: Run;
  done(): Promise<void>;
}

/** Typed as its JSON form: Elysia takes no promise of either a value or a `Response`. */
async function answered(
  services: Services,
  { body, request, set }: Asking,
  { turn, run, done }: Accepted,
): Promise<Awaited<ReturnType<typeof wholeResponse>>> {
  const { runtime } = services;
  const { background, stream } = body;
  const lasts = background || request.headers.has('idempotency-key');
  const leave = lasts ? () => {} : whenCallerGone(request.signal, turn.cancel);
  turn.ended.finally(leave).catch(() => {});
  if (background || stream) await runtime.durable(turn.runId);
  const { requestId } = callOf(set);
  if (stream)
    return (await responseStream(services, run, {
      ...{ signal: request.signal, requestId, after: -1, done },
    })) as never;
  if (background) return wholeResponse(services, run);
  const whole = turn.ended.then(async (ended) => {
    refuseUnanswered(ended);
    return wholeResponse(services, await runtime.run(run.owner, run.runId));
  });
  return whole.finally(done);
}

function invalid(detail: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail });
}
