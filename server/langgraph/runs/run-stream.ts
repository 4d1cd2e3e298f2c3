/** Streams of runs: the log from any event on, past and coming, as server-sent events. */

import { ENTRIES } from '../../../runtime/journal/entries.ts';
import type { StreamMode } from '../../../state/runs.ts';
import { sse, sseFrame } from '../../http/sse.ts';
import type { Services } from '../../services.ts';
import { runView, type StreamedRun } from './run-view.ts';
import type { WireEvent } from './wire-events.ts';

export interface StreamOptions {
  request: Request;
  headers: Record<string, string>;
  /** Of the run's modes; without any, all of them. */
  modes?: readonly StreamMode[] | undefined;
}

/** Replays what comes after the event that the request's `Last-Event-ID` names, then goes on with what comes. */
export async function runStream(
  services: Pick<Services, 'runtime' | 'archive' | 'states'>,
  run: StreamedRun,
  { request, headers, modes }: StreamOptions,
): Promise<Response> {
  const { runId, owner } = run;
  const { batches } = await services.runtime.follow(
    owner,
    runId,
    { view: ENTRIES, after: 0 },
    { orEnd: true },
  );
  const shows = shown(request, modes);
  const eventsOf = runView(services, run);
  async function* texts(): AsyncGenerator<string> {
    for await (const { events } of batches) {
      let text = '';
      for (const entry of events)
        for (const event of await eventsOf(entry)) if (shows(event)) text += sseFrame(event);
      if (text !== '') yield text;
    }
  }
  // The connection ends, and the client comes back for the rest.
  return sse(texts(), {
    signal: request.signal,
    headers: { 'cache-control': 'no-store', ...headers },
    failed: () => '',
  });
}

function shown(request: Request, modes: readonly StreamMode[] | undefined): (event: WireEvent) => boolean {
  const after = Number.parseInt(request.headers.get('last-event-id') ?? '-1', 10);
  const wanted = modes && new Set(modes);
  const takesEnd = !isNodeFetch(request);
  return ({ id, mode, event }) => {
    if (id <= after) return false;
    if (event === 'end') return takesEnd;
    return mode === undefined || wanted === undefined || wanted.has(mode);
  };
}

/**
 * Node's own `fetch`, in which LangGraph's JavaScript client passes every event on to its caller. Programs there are written
 * against the JavaScript reference server, which sends no `end`.
 */
function isNodeFetch(request: Request): boolean {
  return request.headers.get('user-agent') === 'node';
}
