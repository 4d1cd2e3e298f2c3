/** Responds to a chat request with the stream of a message: of a new turn, or of all runs of an earlier message. */
import type { Context } from 'elysia';
import type { Turn } from '../../runtime/intake/turn.ts';
import { ENTRIES } from '../../runtime/journal/entries.ts';
import { liveAnswerSourcesOf } from '../../runtime/workflows/answer-sources.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import { errorBody } from '../../state/errors.ts';
import type { Run } from '../../state/threads/runs.ts';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import { onDisconnect } from '../http/streams/disconnect.ts';
import { sse } from '../http/streams/sse.ts';
import type { Services } from '../services.ts';
import { errorFrames, type MessageRun, messageStream, type OpenRun } from './chunks.ts';
import { resumeOutputs } from './resume-calls.ts';

export interface RequestContext {
  request: Request;
  set: Pick<Context['set'], 'headers'>;
}

interface ReplyOptions extends RequestContext {
  workflow: RunnableWorkflow;
  /** Whether the turn continues the last message of the client. */
  resumes: boolean;
  /** Whether the run continues if the client disconnects. */
  continues: boolean;
}

export async function reply(
  services: Services,
  turn: Turn,
  { workflow, resumes, continues, ...context }: ReplyOptions,
): Promise<Response> {
  const { request, set } = context;
  if (turn.replayed) set.headers['idempotency-replayed'] = 'true';
  const stopListening = continues ? () => {} : onDisconnect(request.signal, turn.cancel);
  turn.ended.finally(stopListening).catch(() => {});
  await services.runtime.durable(turn.runId);
  const { runId, threadId, messageId } = turn;
  return streamRuns(services, [{ runId, threadId, messageId, workflow, resumes, answers: [] }], context);
}

/**
 * Streams the whole message of a run, with the earlier runs that it continues. A client that reconnects rebuilds the
 * message from the stream.
 */
export async function replay(services: Services, last: Run, context: RequestContext): Promise<Response> {
  const { runtime, registry, state } = services;
  await runtime.durable(last.runId);
  const runs = [last];
  for (let { resume } = last.request; resume; ) {
    const before = await state.runs.find(last.owner, resume.runId);
    if (before) runs.unshift(before);
    resume = before?.request.resume;
  }
  const messageRuns = runs.map(({ runId, threadId, messageId, workflow, request: { resume } }) => ({
    ...{ runId, threadId, messageId, workflow: registry.runnable(workflow) },
    resumes: resume !== undefined,
    answers: resume ? resumeOutputs(resume) : [],
  }));
  return streamRuns(services, messageRuns, context);
}

type UnopenedRun = Pick<MessageRun, 'runId' | 'threadId' | 'messageId' | 'resumes' | 'answers'> & {
  workflow: RunnableWorkflow;
};

function streamRuns({ runtime }: Services, runs: UnopenedRun[], { request, set }: RequestContext): Response {
  const owner = ownerOf(request);
  const openers = runs.map(
    ({ workflow, ...run }): OpenRun =>
      async () => {
        const sources = await liveAnswerSourcesOf(workflow);
        const followed = await runtime.follow(owner, run.runId, { view: ENTRIES, after: 0 }, { orEnd: true });
        return { ...followed, ...run, sources };
      },
  );
  return sse(messageStream(openers), {
    signal: request.signal,
    headers: HEADERS,
    failed: (error) => errorFrames(errorBody(error, requestContext(set).requestId)),
  });
}

/** The headers that the AI SDK's own servers send. */
const HEADERS = { 'cache-control': 'no-cache', 'x-vercel-ai-ui-message-stream': 'v1' };
