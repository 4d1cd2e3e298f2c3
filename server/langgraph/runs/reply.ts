/** How runs are answered: in the background, as a stream, or with their output. */
import { SkeinError } from '../../../state/errors.ts';
import type { Run as StoredRun, StreamMode } from '../../../state/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { whenCallerGone } from '../../http/caller-gone.ts';
import type { Services } from '../../services.ts';
import { foundThread } from '../threads/find-thread.ts';
import { type Asking, type Started, startRun } from './intake.ts';
import { type Run, runBody } from './run-body.ts';
import { endOf, whenEnded } from './run-end.ts';
import { runStream } from './run-stream.ts';

type ThreadId = string | undefined;

export async function startedRun(services: Services, threadId: ThreadId, asking: Asking): Promise<Run> {
  const { turn, owner, path } = await startRun(services, threadId, asking);
  await services.runtime.durable(turn.runId);
  asking.set.headers['content-location'] = path;
  return runBody(await services.runtime.run(owner, turn.runId));
}

export async function streamedRun(services: Services, threadId: ThreadId, asking: Asking): Promise<Response> {
  const started = await startRun(services, threadId, asking);
  cancelWithClient(started, asking);
  await services.runtime.durable(started.turn.runId);
  return runStream(services, started.turn.run, { request: asking.request, headers: locations(started.path) });
}

export async function waitedRun(services: Services, threadId: ThreadId, asking: Asking): Promise<Response> {
  const started = await startRun(services, threadId, asking);
  cancelWithClient(started, asking);
  const { turn, owner, path } = started;
  return whenEnded(endOf(services, { owner, runId: turn.runId }), {
    'content-location': path,
    location: `/threads/${turn.threadId}/runs/${turn.runId}/join`,
  });
}

/** Joins a run: `modes` are those of its own that the client wants. */
export function followRun(
  services: Services,
  run: StoredRun,
  { request, modes }: { request: Request; modes?: readonly StreamMode[] | undefined },
): Promise<Response> {
  const path = `/threads/${run.threadId}/runs/${run.runId}`;
  return runStream(services, run, { request, modes, headers: locations(path) });
}

/** From the API's root: where the run is, and where its stream goes on after a lost connection. */
function locations(path: string): Record<string, string> {
  return { 'content-location': path, location: `${path}/stream` };
}

/** Cancels the run if its client disconnects, unless the client asked for `continue`. */
function cancelWithClient({ turn }: Started, { request, body }: Asking): void {
  if (body.on_disconnect === 'continue') return;
  const leave = whenCallerGone(request.signal, turn.cancel);
  turn.ended.then(leave, leave);
}

/** Throws THREAD_NOT_FOUND or RUN_NOT_FOUND, for somebody else's too. */
export async function foundRun(
  { archive, runtime }: Services,
  request: Request,
  { thread_id, run_id }: { thread_id: string; run_id: string },
): Promise<StoredRun> {
  await foundThread(archive, request, thread_id);
  const run = await runtime.run(ownerOf(request), run_id);
  if (run.threadId !== thread_id) throw new SkeinError('RUN_NOT_FOUND');
  return run;
}
