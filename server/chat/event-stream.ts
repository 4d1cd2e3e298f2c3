/** Streams the events of a run to clients of the chat endpoint. */
import type { ChatEvent } from '../../runtime/journal/chat-events.ts';
import type { ViewBatch } from '../../runtime/journal/view.ts';
import type { RunStream } from '../../runtime/run/following/following.ts';
import { errorBody } from '../../state/errors.ts';
import { sse, sseFrame } from '../http/streams/sse.ts';
import { toChatResponse } from './response.ts';
import type { ChatResponse } from './schema.ts';

/** An event on the wire: the chat view of the log, with the response in its JSON form. */
export type StreamEvent =
  | Exclude<ChatEvent, { event: 'response' }>
  | { event: 'response'; data: ChatResponse };

export interface EventStream extends RunStream<ChatEvent> {
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  requestId: string;
}

/** A response that streams the events. Events are only read as fast as the client reads them, and are not buffered. */
export function eventStream({ batches, ended, signal, requestId }: EventStream): Response {
  return sse(texts(batches, ended), {
    signal,
    // The stream has ended before the run, because of a shutdown or an unreadable log. The error is not an event of the run, so
    // it has no id.
    failed: (error) => frame({ event: 'error', data: errorBody(error, requestId) }) + frame(END),
  });
}

const END: StreamEvent = { event: 'end', data: {} };

async function* texts(batches: EventStream['batches'], ended: EventStream['ended']): AsyncGenerator<string> {
  for await (const batch of batches) yield await textOf(batch, ended);
}

/** The text of a batch, which is the same for all clients that follow the run. */
const rendered = new WeakMap<ViewBatch<ChatEvent>, string>();

async function textOf(batch: ViewBatch<ChatEvent>, ended: EventStream['ended']): Promise<string> {
  const cached = rendered.get(batch);
  if (cached !== undefined) return cached;
  const frames: string[] = [];
  for (const [index, logged] of batch.events.entries()) {
    const event: StreamEvent =
      logged.event === 'response' ? { event: 'response', data: toChatResponse(await ended()) } : logged;
    frames.push(frame(event, batch.first + index));
  }
  const text = frames.join('');
  rendered.set(batch, text);
  return text;
}

function frame({ event, data }: StreamEvent, id?: number): string {
  return sseFrame({ id, event, data });
}
