/** Responds with a chat completion: one body at the end of the turn, or a stream of chunks. */
import type { Context } from 'elysia';
import type { Turn } from '../../../runtime/intake/turn.ts';
import { answerText } from '../../../runtime/journal/answer-text.ts';
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import { answerSourcesOf } from '../../../runtime/workflows/answer-sources.ts';
import type { RunnableWorkflow } from '../../../runtime/workflows/registered.ts';
import { errorBody } from '../../../state/errors.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { requestContext } from '../../chat/reply.ts';
import { onDisconnect } from '../../http/streams/disconnect.ts';
import { sse } from '../../http/streams/sse.ts';
import type { Services } from '../../services.ts';
import { openAIError } from '../errors.ts';
import { deleteThreadAfter } from '../thread.ts';
import { completionChunks, frame } from './chunks.ts';
import { type CompletionHead, toCompletion } from './completion.ts';
import type { Completion, CompletionRequest } from './schema.ts';

export interface CompletionReply {
  request: Request;
  set: Context['set'];
  body: CompletionRequest;
  workflow: RunnableWorkflow;
  /** The thread of the request; undefined if the turn's thread is not kept. */
  threadId: string | undefined;
  /** Whether the turn resumes an interrupt. */
  resumes: boolean;
  /** Whether the run continues if the client disconnects. */
  continues: boolean;
}

/** Typed as the JSON body: Elysia doesn't accept a promise of either a value or a `Response`. */
export async function reply(
  { runtime }: Services,
  turn: Turn,
  options: CompletionReply,
): Promise<Completion> {
  const { request, set, body, workflow, threadId, resumes, continues } = options;
  const owner = ownerOf(request);
  if (turn.replayed) set.headers['idempotency-replayed'] = 'true';
  const head: CompletionHead = {
    id: `chatcmpl-${turn.runId}`,
    created: Math.floor(Date.now() / 1000),
    model: workflow.name,
    ...(threadId !== undefined && { metadata: { thread_id: threadId } }),
  };
  const done = threadId === undefined ? deleteThreadAfter(runtime, { request, turn }) : async () => {};
  const stopListening = continues ? () => {} : onDisconnect(request.signal, turn.cancel);
  if (!body.stream) {
    const ended = turn.ended.then((run) => toCompletion(head, run)).finally(stopListening);
    return ended.finally(done);
  }
  turn.ended.finally(stopListening).catch(() => {});
  await runtime.durable(turn.runId);
  const text = answerText(await answerSourcesOf(workflow), { resumes });
  const start = { view: ENTRIES, after: 0 };
  const followed = await runtime.follow(owner, turn.runId, start, { orEnd: true });
  const includeUsage = body.stream_options?.include_usage === true;
  const { requestId } = requestContext(set);
  return sse(completionChunks({ ...followed, head, text, includeUsage, done }), {
    signal: request.signal,
    failed: (error) => frame(openAIError(errorBody(error, requestId))),
  }) as never;
}
