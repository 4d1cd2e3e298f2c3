/** The events of a run, over as many connections as needed: each exactly once, in order, to the end of the run. */
import type { StreamEvent } from '../server/chat/event-stream.ts';
import { SkeinApiError } from './api-error.ts';
import { connection, type Received } from './connection.ts';
import type { StreamOptions } from './options.ts';
import { type ClientRequest, ConnectionLost, type Send } from './requests.ts';
import { delayBefore, passes, pause, retryOptions } from './retry.ts';
import { runStop } from './run-stop.ts';

/** An event of a run with its number in the run's log, from 1. */
export type RunStreamEvent = StreamEvent & { id: number };

export interface StreamRequest {
  /** The request that starts the run. Sent again, it finds the run. */
  start?: ClientRequest;
  /** The run, if it is known, and the event to continue after. */
  run?: { id: string; after: number };
  /** Closing the stream cancels the run. */
  owned: boolean;
}

/** Every attempt to reach the run failed; the run may still be active. */
export class StreamLostError extends Error {
  override readonly name = 'StreamLostError';
  /** Undefined if it is unknown whether the run exists. */
  readonly runId: string | undefined;
  /** The number of the last event that was yielded. Pass it to `followRun` to continue. */
  readonly lastEventId: number;

  constructor(runId: string | undefined, lastEventId: number, cause: unknown) {
    super(runId === undefined ? 'The service cannot be reached' : `The stream of run ${runId} is lost`, {
      cause,
    });
    this.runId = runId;
    this.lastEventId = lastEventId;
  }
}

/** How many times longer than `silenceMs` to wait for a response, because a large request takes time to upload. */
const OPEN_SILENCES = 4;

/** Sends nothing before the first event is requested. */
export async function* runEvents(
  send: Send,
  { start, run, owned }: StreamRequest,
  options: StreamOptions,
): AsyncGenerator<RunStreamEvent, void> {
  const { signal = new AbortController().signal, silenceMs = 15_000 } = options;
  const retry = retryOptions(options.retry);
  const after = run?.after ?? 0;
  let runId = run?.id;
  // Request the last event again: if it was the end, no event would follow.
  let last = Math.max(0, after - 1);
  let failures = 0;
  signal.throwIfAborted();
  const stop = runStop({ send, start, owned, signal, retry, runId: () => runId });

  try {
    for (;;) {
      try {
        return yield* attempt();
      } catch (error) {
        signal.throwIfAborted();
        failures++;
        await beforeNext(error);
      }
    }
  } catch (error) {
    stop.failed();
    throw error;
  } finally {
    await stop.closed();
  }

  /** Reads one connection. Returns at the end of the run; otherwise throws. */
  async function* attempt(): AsyncGenerator<RunStreamEvent, void> {
    const openMs = silenceMs * OPEN_SILENCES;
    for await (const received of connection({ open, openMs, silenceMs, signal })) {
      const event = received === 'heartbeat' ? undefined : numbered(received);
      failures = 0;
      if (!event || event.id <= last) continue;
      last = event.id;
      if (event.event === 'run') runId = event.data.run_id;
      stop.note(event.event);
      if (event.id > after) yield event;
      signal.throwIfAborted();
      if (event.event === 'end') return;
    }
    throw new ConnectionLost('the stream ended without its end event');
  }

  function open(closing: AbortSignal): Promise<Response> {
    if (runId === undefined && start) return send(start, closing);
    const path = `/api/v1/runs/${encodeURIComponent(runId ?? '')}/stream`;
    return send({ method: 'GET', path, headers: { 'last-event-id': `${last}` } }, closing);
  }

  /** Waits, or throws an error that a retry cannot fix. */
  async function beforeNext(error: unknown): Promise<void> {
    const known = runId !== undefined;
    if (!passes(error, known || failures > 1)) throw error;
    if (failures > (known ? retry.rejoinAttempts : retry.startAttempts)) {
      throw known || error instanceof ConnectionLost ? new StreamLostError(runId, last, error) : error;
    }
    await pause(delayBefore(failures, error, retry), signal);
  }
}

/** An event without a number is about the connection: the service is stopping, or cannot read the log. The run continues. */
function numbered(event: Received): RunStreamEvent {
  if (event.id !== undefined) return event as RunStreamEvent;
  const cause = event.event === 'error' ? new SkeinApiError(event.data) : undefined;
  throw new ConnectionLost(`the service ended the stream: ${cause?.code ?? event.event}`, { cause });
}
