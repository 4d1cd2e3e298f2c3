/** How a chat completion is answered: as one body at the turn's end, or as chunks of it. */
import type { Context } from 'elysia';
import type { Turn } from '../../../runtime/intake/turn.ts';
import { answerText } from '../../../runtime/journal/answer-text.ts';
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import type { RunnableWorkflow } from '../../../runtime/workflows/registered.ts';
import { speakersOf } from '../../../runtime/workflows/speakers.ts';
import { errorBody } from '../../../state/errors.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { callOf } from '../../chat/reply.ts';
import { whenCallerGone } from '../../http/caller-gone.ts';
import { sse } from '../../http/sse.ts';
import type { Services } from '../../services.ts';
import { openAIError } from '../errors.ts';
import { forgetting } from '../thread.ts';
import { completionChunks, frame } from './chunks.ts';
import { type CompletionHead, toCompletion } from './completion.ts';
import type { Completion, CompletionRequest } from './schema.ts';

export interface CompletionReply {
  request: Request;
  set: Context['set'];
  body: CompletionRequest;
  workflow: RunnableWorkflow;
  /** The thread that the request names. */
  threadId: string | undefined;
  /** The turn answers an interrupt. */
  resumes: boolean;
  /** The run goes on when its caller goes away. */
  lasts: boolean;
}

/** Typed as its JSON form: Elysia takes no promise of either a value or a `Response`. */
export async function reply({ runtime }: Services, turn: Turn, asked: CompletionReply): Promise<Completion> {
  const { request, set, body, workflow, threadId, resumes, lasts } = asked;
  const owner = ownerOf(request);
  if (turn.replayed) set.headers['idempotency-replayed'] = 'true';
  const head: CompletionHead = {
    id: `chatcmpl-${turn.runId}`,
    created: Math.floor(Date.now() / 1000),
    model: workflow.name,
    ...(threadId !== undefined && { metadata: { thread_id: threadId } }),
  };
  const done = threadId === undefined ? forgetting(runtime, { request, turn }) : async () => {};
  const leave = lasts ? () => {} : whenCallerGone(request.signal, turn.cancel);
  if (!body.stream) {
    const ended = turn.ended.then((run) => toCompletion(head, run)).finally(leave);
    return ended.finally(done);
  }
  turn.ended.finally(leave).catch(() => {});
  await runtime.durable(turn.runId);
  const text = answerText(await speakersOf(workflow), { resumes });
  const start = { view: ENTRIES, after: 0 };
  const followed = await runtime.follow(owner, turn.runId, start, { orEnd: true });
  const includeUsage = body.stream_options?.include_usage === true;
  const { requestId } = callOf(set);
  return sse(completionChunks({ ...followed, head, text, includeUsage, done }), {
    signal: request.signal,
    failed: (error) => frame(openAIError(errorBody(error, requestId))),
  }) as never;
}
