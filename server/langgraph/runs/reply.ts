/** Starts runs and responds with the run, with its stream, or with its output. */
import { SkeinError } from '../../../state/errors.ts';
import type { Run as StoredRun, StreamMode } from '../../../state/threads/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { onDisconnect } from '../../http/streams/disconnect.ts';
import type { Services } from '../../services.ts';
import { findThread } from '../threads/find-thread.ts';
import { type Run, runBody } from './run-body.ts';
import { outputResponse, waitForOutput } from './run-end.ts';
import { runSse } from './run-sse.ts';
import { type RunStart, type StartedRun, startRun } from './start-run.ts';

type ThreadId = string | undefined;

/** Responds with the run as soon as it is stored durably. */
export async function startInBackground(
  services: Services,
  threadId: ThreadId,
  start: RunStart,
): Promise<Run> {
  const { turn, owner, path } = await startRun(services, threadId, start);
  await services.runtime.durable(turn.runId);
  start.set.headers['content-location'] = path;
  return runBody(await services.runtime.run(owner, turn.runId));
}

export async function startAndStream(
  services: Services,
  threadId: ThreadId,
  start: RunStart,
): Promise<Response> {
  const started = await startRun(services, threadId, start);
  cancelWithClient(started, start);
  await services.runtime.durable(started.turn.runId);
  return runSse(services, started.turn.run, { request: start.request, headers: locations(started.path) });
}

export async function startAndWait(
  services: Services,
  threadId: ThreadId,
  start: RunStart,
): Promise<Response> {
  const started = await startRun(services, threadId, start);
  cancelWithClient(started, start);
  const { turn, owner, path } = started;
  return outputResponse(waitForOutput(services, { owner, runId: turn.runId }), {
    'content-location': path,
    location: `/threads/${turn.threadId}/runs/${turn.runId}/join`,
  });
}

/** Streams an existing run. `modes`: the stream modes to send; all modes of the run if undefined. */
export function followRun(
  services: Services,
  run: StoredRun,
  { request, modes }: { request: Request; modes?: readonly StreamMode[] | undefined },
): Promise<Response> {
  const path = `/threads/${run.threadId}/runs/${run.runId}`;
  return runSse(services, run, { request, modes, headers: locations(path) });
}

/** Headers with the path of the run, and the path at which a client can resume its stream after a lost connection. */
function locations(path: string): Record<string, string> {
  return { 'content-location': path, location: `${path}/stream` };
}

/** Cancels the run if its client disconnects, unless the client asked for `continue`. */
function cancelWithClient({ turn }: StartedRun, { request, body }: RunStart): void {
  if (body.on_disconnect === 'continue') return;
  const stopListening = onDisconnect(request.signal, turn.cancel);
  turn.ended.then(stopListening, stopListening);
}

/** Throws THREAD_NOT_FOUND or RUN_NOT_FOUND, also for those of other callers. */
export async function findRun(
  { archive, runtime }: Services,
  request: Request,
  { thread_id, run_id }: { thread_id: string; run_id: string },
): Promise<StoredRun> {
  await findThread(archive, request, thread_id);
  const run = await runtime.run(ownerOf(request), run_id);
  if (run.threadId !== thread_id) throw new SkeinError('RUN_NOT_FOUND');
  return run;
}
