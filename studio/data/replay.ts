/** A model call of a run, sent again as it is given. */
import { api, ask } from '../service.ts';

const at = (run: string) => api.runs({ run_id: encodeURIComponent(run) }).calls.replay;

export type ReplayRequest = Parameters<ReturnType<typeof at>['post']>[0];

/** `signal` ends it, at the service too. */
export async function replayCall(run: string, request: ReplayRequest, signal: AbortSignal) {
  return (await ask(at(run).post(request, { fetch: { signal } }))).calls;
}

export type ReplayedCall = Awaited<ReturnType<typeof replayCall>>[number];
