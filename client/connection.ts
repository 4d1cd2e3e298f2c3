/** One connection of a stream, from the request to the end of its body. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { StreamEvent } from '../server/chat/event-stream.ts';
import { ConnectionLost } from './requests.ts';

/** A received event. `id` is missing if the event is about the connection instead of the run. */
export type Received = StreamEvent & { id?: number | undefined };

export type StreamItem = Received | 'heartbeat';

export interface Connecting {
  open(signal: AbortSignal): Promise<Response>;
  /** How long to wait for the response. */
  openMs: number;
  silenceMs: number;
  /** Closes the connection. */
  signal: AbortSignal;
}

/** Ends with the body. Throws ConnectionLost if the connection breaks, is silent too long, or sends invalid data. */
export async function* connection(connecting: Connecting): AsyncGenerator<StreamItem, void> {
  const { open, openMs, silenceMs, signal } = connecting;
  const closing = new AbortController();
  const close = () => closing.abort(signal.reason);
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();

  /** The timer only runs while waiting for data, because a slow reader does not mean that the service is silent. */
  async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    const silent = () => closing.abort(new ConnectionLost(`no data for ${milliseconds} ms`));
    const timer = setTimeout(silent, milliseconds);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  try {
    const response = await withTimeout(open(closing.signal), openMs);
    const events = eventReader();
    const reader = bodyOf(response).getReader();
    for (;;) {
      const { value, done } = await withTimeout(reader.read(), silenceMs).catch((cause) => {
        throw new ConnectionLost('the connection broke', { cause });
      });
      if (done) return;
      yield* events(value);
    }
  } finally {
    signal.removeEventListener('abort', close);
    closing.abort();
  }
}

function bodyOf({ headers, body }: Response): ReadableStream<Uint8Array> {
  const type = headers.get('content-type') ?? 'none';
  if (body && /^text\/event-stream\b/i.test(type)) return body;
  throw new ConnectionLost(`expected a stream of events, got content type ${type}`);
}

/** Parses server-sent events as in WHATWG HTML, 9.2. The bytes may be split anywhere; yields each event when it is complete. */
export function eventReader(): (bytes: Uint8Array) => Generator<StreamItem> {
  // The parser drops the byte order mark.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let complete: (EventSourceMessage | 'heartbeat')[] = [];
  const parser = createParser({
    onEvent: (message) => complete.push(message),
    onComment: () => complete.push('heartbeat'),
  });
  return function* read(bytes) {
    complete = [];
    parser.feed(decoder.decode(bytes, { stream: true }));
    // Events before an invalid one are valid.
    for (const message of complete) yield message === 'heartbeat' ? message : received(message);
  };
}

function received({ id, event, data }: EventSourceMessage): Received {
  try {
    const number = id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
    return { id: number, event, data: JSON.parse(data) } as Received;
  } catch (cause) {
    throw new ConnectionLost(`the data of event ${id} is not JSON`, { cause });
  }
}
