/** A run's events as chat's streams send them. */
import type { ChatEvent } from '../../runtime/journal/chat-events.ts';
import type { Shown } from '../../runtime/journal/view.ts';
import type { Followed } from '../../runtime/runtime.ts';
import { errorBody } from '../../state/errors.ts';
import { sse, sseFrame } from '../http/sse.ts';
import { toChatResponse } from './response.ts';
import type { ChatResponse } from './schema.ts';

/** What the wire shows of a run. */
export type StreamEvent =
  | Exclude<ChatEvent, { event: 'response' }>
  | { event: 'response'; data: ChatResponse };

export interface EventStream extends Followed<ChatEvent> {
  /** Aborts when the listener goes away. */
  signal: AbortSignal;
  requestId: string;
}

/** The answer that streams the events as they come; what the listener does not read is not held for it. */
export function eventStream({ batches, ended, signal, requestId }: EventStream): Response {
  return sse(texts(batches, ended), {
    signal,
    // The run goes on, or its log cannot be read: this is no event of the run and has no number.
    failed: (error) => frame({ event: 'error', data: errorBody(error, requestId) }) + frame(END),
  });
}

const END: StreamEvent = { event: 'end', data: {} };

async function* texts(batches: EventStream['batches'], ended: EventStream['ended']): AsyncGenerator<string> {
  for await (const batch of batches) yield await textOf(batch, ended);
}

/** Every listener of a run is sent the same text: it is made once. */
const known = new WeakMap<Shown<ChatEvent>, string>();

async function textOf(batch: Shown<ChatEvent>, ended: EventStream['ended']): Promise<string> {
  const before = known.get(batch);
  if (before !== undefined) return before;
  const frames: string[] = [];
  for (const [index, logged] of batch.events.entries()) {
    const shown: StreamEvent =
      logged.event === 'response' ? { event: 'response', data: toChatResponse(await ended()) } : logged;
    frames.push(frame(shown, batch.first + index));
  }
  const text = frames.join('');
  known.set(batch, text);
  return text;
}

function frame({ event, data }: StreamEvent, id?: number): string {
  return sseFrame({ id, event, data });
}
