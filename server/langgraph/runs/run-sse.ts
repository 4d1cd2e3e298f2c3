/** Sends a run's events as server-sent events, without those that the client doesn't want. */
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import type { StreamMode } from '../../../state/threads/runs.ts';
import { sse, sseFrame } from '../../http/streams/sse.ts';
import type { Services } from '../../services.ts';
import { runView, type StreamedRun } from './run-view.ts';
import type { LangGraphEvent } from './stream-events.ts';

export interface StreamOptions {
  request: Request;
  headers: Record<string, string>;
  /** The stream modes to send; all modes of the run if undefined. */
  modes?: readonly StreamMode[] | undefined;
}

/** Sends the stored events after the request's `Last-Event-ID`, then new events until the run ends. */
export async function runSse(
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
  const isSent = eventFilter(request, modes);
  const eventsOf = runView(services, run);
  async function* texts(): AsyncGenerator<string> {
    for await (const { events } of batches) {
      let text = '';
      for (const entry of events)
        for (const event of await eventsOf(entry)) if (isSent(event)) text += sseFrame(event);
      if (text !== '') yield text;
    }
  }
  // If reading fails, close the connection without an error event: the client reconnects with Last-Event-ID.
  return sse(texts(), {
    signal: request.signal,
    headers: { 'cache-control': 'no-store', ...headers },
    failed: () => '',
  });
}

function eventFilter(
  request: Request,
  modes: readonly StreamMode[] | undefined,
): (event: LangGraphEvent) => boolean {
  const after = Number.parseInt(request.headers.get('last-event-id') ?? '-1', 10);
  const wanted = modes && new Set(modes);
  const sendsEnd = !isNodeFetch(request);
  return ({ id, mode, event }) => {
    if (id <= after) return false;
    if (event === 'end') return sendsEnd;
    return mode === undefined || wanted === undefined || wanted.has(mode);
  };
}

/**
 * Whether the client is LangGraph's JavaScript client with Node's built-in `fetch`. It passes every event to its caller, and
 * programs that use it expect no `end` event, because the JavaScript reference server doesn't send one.
 */
function isNodeFetch(request: Request): boolean {
  return request.headers.get('user-agent') === 'node';
}
