/** A run's events as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import type { ChatEvent } from '../../runtime/journal/chat-events.ts';
import type { Shown } from '../../runtime/journal/view.ts';
import type { Followed } from '../../runtime/runtime.ts';
import { errorBody } from '../../state/errors.ts';
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

const HEARTBEAT_MS = 5_000;
const HEARTBEAT = ': heartbeat\n\n';

/** The answer that streams the events as they come; what the listener does not read is not held for it. */
export function eventStream(followed: EventStream): Response {
  const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
  // Bun asks an iterator for its next piece only when the socket has taken the one before.
  return new Response(pieces(followed) as unknown as ReadableStream, { headers });
}

async function* pieces({ batches, ended, signal, requestId }: EventStream): AsyncGenerator<string> {
  const gone = Promise.withResolvers<undefined>();
  const leave = () => gone.resolve(undefined);
  signal.addEventListener('abort', leave, { once: true });
  let next = batches.next();
  try {
    while (!signal.aborted) {
      const step = await Promise.race([within(next, HEARTBEAT_MS), gone.promise]);
      if (step === undefined) return;
      if (step === 'late') yield HEARTBEAT;
      else if (step.done) return;
      else {
        yield await textOf(step.value, ended);
        next = batches.next();
      }
    }
  } catch (error) {
    // The run goes on, or its log cannot be read: this is no event of the run and has no number.
    yield frame({ event: 'error', data: errorBody(error, requestId) });
    yield frame({ event: 'end', data: {} });
  } finally {
    signal.removeEventListener('abort', leave);
    next.catch(() => {});
    void batches.return(undefined);
  }
}

async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Every listener of a run is sent the same text: it is made once. */
const texts = new WeakMap<Shown<ChatEvent>, string>();

async function textOf(batch: Shown<ChatEvent>, ended: EventStream['ended']): Promise<string> {
  const known = texts.get(batch);
  if (known !== undefined) return known;
  const frames: string[] = [];
  for (const [index, logged] of batch.events.entries()) {
    const shown: StreamEvent =
      logged.event === 'response' ? { event: 'response', data: toChatResponse(await ended()) } : logged;
    frames.push(frame(shown, batch.first + index));
  }
  const text = frames.join('');
  texts.set(batch, text);
  return text;
}

function frame({ event, data }: StreamEvent, id?: number): string {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `${number}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
