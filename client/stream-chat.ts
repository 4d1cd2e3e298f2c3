/** A turn on a thread as a stream of events that survives broken connections. */
import type { ResumeRequest } from '../server/chat/resume.ts';
import type { ChatRequest } from '../server/chat/schema.ts';
import type { StreamOptions } from './options.ts';
import { requests } from './requests.ts';
import { type RunStreamEvent, runEvents } from './run-events.ts';
import { uuid } from './uuid.ts';

export interface StartOptions extends StreamOptions {
  /** Repeated requests with the same key refer to the same run. Default: a new key for each stream. */
  idempotencyKey?: string;
}

/**
 * The turn starts when the first event is requested. Every event is yielded once and in order, over as many connections as
 * needed. Breaking out of the loop or aborting the signal cancels the run, except with `on_disconnect: 'continue'`. Throws
 * SkeinApiError if the service rejects the request, StreamLostError if it stays unreachable, and the signal's reason. A failed
 * run does not throw: it is an `error` event.
 */
export function streamChat(
  baseUrl: string,
  request: Omit<ChatRequest, 'stream'>,
  options: StartOptions = {},
): AsyncGenerator<RunStreamEvent, void> {
  return streamOf(baseUrl, { path: '/api/v1/chat', request }, options);
}

/**
 * Like `streamChat`, for a person's answer to a waiting thread. `value` answers its only question; `values` has answers by
 * interrupt_id. Send neither if the thread only stopped before or after a node.
 */
export function streamResume(
  baseUrl: string,
  threadId: string,
  request: Omit<ResumeRequest, 'stream'>,
  options: StartOptions = {},
): AsyncGenerator<RunStreamEvent, void> {
  const path = `/api/v1/threads/${encodeURIComponent(threadId)}/resume`;
  return streamOf(baseUrl, { path, request }, options);
}

interface Begun {
  path: string;
  request: { on_disconnect?: ChatRequest['on_disconnect'] };
}

function streamOf(baseUrl: string, { path, request }: Begun, options: StartOptions) {
  // A broken connection does not mean that the caller has closed the stream, so it must not end the run.
  const body = JSON.stringify({ ...request, stream: true, on_disconnect: 'continue' });
  const headers = {
    accept: 'text/event-stream',
    'idempotency-key': options.idempotencyKey ?? uuid(),
  };
  const owned = request.on_disconnect !== 'continue';
  const start = { method: 'POST' as const, path, headers, body };
  return runEvents(requests(baseUrl, options), { start, owned }, options);
}
