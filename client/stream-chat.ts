/** A turn on a thread as a stream of its events that outlives broken connections. */
import type { ResumeRequest } from '../server/chat/resume.ts';
import type { ChatRequest } from '../server/chat/schema.ts';
import type { StreamOptions } from './options.ts';
import { requests } from './requests.ts';
import { type RunStreamEvent, runEvents } from './run-events.ts';
import { uuid } from './uuid.ts';

export interface StartOptions extends StreamOptions {
  /** Makes a repeated request the same run; default: a new one for each stream. */
  idempotencyKey?: string;
}

/**
 * The turn begins when the first event is asked for. Every event comes once and in order, over as many connections as
 * it takes. Who leaves the loop, or aborts the signal, cancels the run; with `on_disconnect: 'continue'` it goes on.
 * Throws SkeinApiError where the service refuses, StreamLostError where it can no longer be reached, and the signal's
 * reason. A run that fails is no error here but an `error` event.
 */
export function streamChat(
  baseUrl: string,
  request: Omit<ChatRequest, 'stream'>,
  options: StartOptions = {},
): AsyncGenerator<RunStreamEvent, void> {
  return streamOf(baseUrl, { path: '/api/v1/chat', request }, options);
}

/**
 * The same for a person's answer to what a thread waits for: `value` to its only question, `values` by interrupt_id, and
 * nothing where it only stopped before or after a node.
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
  // A connection that breaks is not a caller who stops: the run must not end with it.
  const body = JSON.stringify({ ...request, stream: true, on_disconnect: 'continue' });
  const headers = {
    accept: 'text/event-stream',
    'idempotency-key': options.idempotencyKey ?? uuid(),
  };
  const owned = request.on_disconnect !== 'continue';
  const start = { method: 'POST' as const, path, headers, body };
  return runEvents(requests(baseUrl, options), { start, owned }, options);
}
