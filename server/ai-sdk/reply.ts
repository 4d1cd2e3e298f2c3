/** How a chat is answered: with the stream of a message, from its first run on or from the present one. */
import type { Context } from 'elysia';
import type { Turn } from '../../runtime/intake/turn.ts';
import { ENTRIES } from '../../runtime/journal/entries.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import { liveSpeakersOf } from '../../runtime/workflows/speakers.ts';
import { errorBody } from '../../state/errors.ts';
import type { Run } from '../../state/runs.ts';
import { ownerOf } from '../authentication/identity.ts';
import { callOf } from '../chat/reply.ts';
import { whenCallerGone } from '../http/caller-gone.ts';
import { sse } from '../http/sse.ts';
import type { Services } from '../services.ts';
import { errorFrames, messageStream, type OpenRun, type RunOfMessage } from './chunks.ts';
import { resumeOutputs } from './resume-calls.ts';

export interface Asking {
  request: Request;
  set: Pick<Context['set'], 'headers'>;
}

export interface Asked extends Asking {
  workflow: RunnableWorkflow;
  /** The turn goes on with a message of the client. */
  resumes: boolean;
  /** The run goes on when its caller goes away. */
  lasts: boolean;
}

export async function reply(
  services: Services,
  turn: Turn,
  { workflow, resumes, lasts, ...asking }: Asked,
): Promise<Response> {
  const { request, set } = asking;
  if (turn.replayed) set.headers['idempotency-replayed'] = 'true';
  const leave = lasts ? () => {} : whenCallerGone(request.signal, turn.cancel);
  turn.ended.finally(leave).catch(() => {});
  await services.runtime.durable(turn.runId);
  const { runId, threadId, messageId } = turn;
  return streamOf(services, [{ runId, threadId, messageId, workflow, resumes, given: [] }], asking);
}

/** The message that the run says, whole: a client that reconnects rebuilds it. */
export async function replay(services: Services, last: Run, asking: Asking): Promise<Response> {
  const { runtime, registry, state } = services;
  await runtime.durable(last.runId);
  const runs = [last];
  for (let { resume } = last.request; resume; ) {
    const before = await state.runs.find(last.owner, resume.runId);
    if (before) runs.unshift(before);
    resume = before?.request.resume;
  }
  const said = runs.map(({ runId, threadId, messageId, workflow, request: { resume } }) => ({
    ...{ runId, threadId, messageId, workflow: registry.runnable(workflow) },
    resumes: resume !== undefined,
    given: resume ? resumeOutputs(resume) : [],
  }));
  return streamOf(services, said, asking);
}

type Said = Pick<RunOfMessage, 'runId' | 'threadId' | 'messageId' | 'resumes' | 'given'> & {
  workflow: RunnableWorkflow;
};

function streamOf({ runtime }: Services, runs: Said[], { request, set }: Asking): Response {
  const owner = ownerOf(request);
  const opened = runs.map(
    ({ workflow, ...run }): OpenRun =>
      async () => {
        const speakers = await liveSpeakersOf(workflow);
        const followed = await runtime.follow(owner, run.runId, { view: ENTRIES, after: 0 }, { orEnd: true });
        return { ...followed, ...run, speakers };
      },
  );
  return sse(messageStream(opened), {
    signal: request.signal,
    headers: HEADERS,
    failed: (error) => errorFrames(errorBody(error, callOf(set).requestId)),
  });
}

/** As the AI SDK's own servers send them. */
const HEADERS = { 'cache-control': 'no-cache', 'x-vercel-ai-ui-message-stream': 'v1' };
