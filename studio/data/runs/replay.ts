/** Sends a model call of a run again, with changes. */
import { api, ask } from '../../service/service.ts';

const at = (run: string) => api.runs({ run_id: encodeURIComponent(run) }).calls.replay;

export type ReplayRequest = Parameters<ReturnType<typeof at>['post']>[0];

/** `signal` cancels the calls, also in the service. */
export async function replayCall(run: string, request: ReplayRequest, signal: AbortSignal) {
  return (await ask(at(run).post(request, { fetch: { signal } }))).calls;
}

export type ReplayedCall = Awaited<ReturnType<typeof replayCall>>[number];
