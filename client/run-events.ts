/** A run's events over as many connections as it takes: each once, in order, to the end. */
import type { StreamEvent } from '../server/chat/event-stream.ts';
import { SkeinApiError } from './api-error.ts';
import { connection, type Received } from './connection.ts';
import type { StreamOptions } from './options.ts';
import { type Asked, ConnectionLost, type Send } from './requests.ts';
import { delayBefore, passes, pause, retryOptions } from './retry.ts';
import { runStop } from './run-stop.ts';

/** An event of a run with its number in the run's log, from 1. */
export type RunStreamEvent = StreamEvent & { id: number };

export interface Followed {
  /** Begins the run, and finds it again: the same request is the same run. */
  start?: Asked;
  /** The run, where it is known, and the event after which to go on. */
  run?: { id: string; after: number };
  /** The run ends where its caller stops. */
  owned: boolean;
}

/** Every attempt to reach the run failed; it may be going on. */
export class StreamLostError extends Error {
  override readonly name = 'StreamLostError';
  /** Undefined where it is not even known whether there is a run. */
  readonly runId: string | undefined;
  /** The last event that was given: `followRun` goes on after it. */
  readonly lastEventId: number;

  constructor(runId: string | undefined, lastEventId: number, cause: unknown) {
    super(runId === undefined ? 'The service cannot be reached' : `The stream of run ${runId} is lost`, {
      cause,
    });
    this.runId = runId;
    this.lastEventId = lastEventId;
  }
}

/** Longer than silence: a large request takes its time to go up. */
const OPEN_SILENCES = 4;

/** Nothing is sent before the first event is asked for. */
export async function* runEvents(
  send: Send,
  { start, run, owned }: Followed,
  options: StreamOptions,
): AsyncGenerator<RunStreamEvent, void> {
  const { signal = new AbortController().signal, silenceMs = 15_000 } = options;
  const retry = retryOptions(options.retry);
  const after = run?.after ?? 0;
  let runId = run?.id;
  // The event before is asked for again: it may have been the end, after which there is nothing to wait for.
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
    await stop.left();
  }

  /** One connection: returns at the run's end, and throws at any other. */
  async function* attempt(): AsyncGenerator<RunStreamEvent, void> {
    const openMs = silenceMs * OPEN_SILENCES;
    for await (const heard of connection({ open, openMs, silenceMs, signal })) {
      const event = heard === 'heartbeat' ? undefined : numbered(heard);
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

  /** Waits, or throws what makes another attempt useless. */
  async function beforeNext(error: unknown): Promise<void> {
    const known = runId !== undefined;
    if (!passes(error, known || failures > 1)) throw error;
    if (failures > (known ? retry.rejoinAttempts : retry.startAttempts)) {
      throw known || error instanceof ConnectionLost ? new StreamLostError(runId, last, error) : error;
    }
    await pause(delayBefore(failures, error, retry), signal);
  }
}

/** Without a number it is said of the connection: the service stops, or cannot read the log. The run goes on. */
function numbered(event: Received): RunStreamEvent {
  if (event.id !== undefined) return event as RunStreamEvent;
  const cause = event.event === 'error' ? new SkeinApiError(event.data) : undefined;
  throw new ConnectionLost(`the service ended the stream: ${cause?.code ?? event.event}`, { cause });
}
