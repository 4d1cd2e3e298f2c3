/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import { meterOf, type StreamMeter } from './stream-ends.ts';
import { TIMED_OUT, withTimeout } from './with-timeout.ts';

export interface SseOptions {
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  headers?: Record<string, string>;
  /** The last text of the stream if the generator throws. */
  failed(error: unknown): string;
}

const HEARTBEAT_MS = 5_000;
const HEARTBEAT = ': heartbeat\n\n';

/**
 * A response that streams the texts, with a heartbeat comment after every 5 seconds of silence. Texts are only generated as fast
 * as the client reads them, and are not buffered.
 */
export function sse(texts: AsyncGenerator<string>, { signal, headers = {}, failed }: SseOptions): Response {
  const sseHeaders = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
  const meter = meterOf(signal);
  const sent = chunks(texts, { signal, failed });
  // Bun reads the next value of an iterator only when the socket has taken the previous one.
  return new Response((meter ? metered(sent, meter) : sent) as unknown as ReadableStream, {
    headers: { ...sseHeaders, ...headers },
  });
}

export interface SseFrame {
  id?: number | string | undefined;
  event: string;
  data: unknown;
}

/** Serializes `data` as JSON. */
export function sseFrame({ id, event, data }: SseFrame): string {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `${number}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function* metered(texts: AsyncGenerator<string>, meter: StreamMeter): AsyncGenerator<string> {
  try {
    for await (const text of texts) {
      meter.sent(text);
      yield text;
    }
  } finally {
    meter.ended();
  }
}

async function* chunks(
  texts: AsyncGenerator<string>,
  { signal, failed }: SseOptions,
): AsyncGenerator<string> {
  const disconnected = Promise.withResolvers<undefined>();
  const onAbort = () => disconnected.resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  let next = texts.next();
  try {
    while (!signal.aborted) {
      const step = await Promise.race([withTimeout(next, HEARTBEAT_MS), disconnected.promise]);
      if (step === undefined) return;
      if (step === TIMED_OUT) yield HEARTBEAT;
      else if (step.done) return;
      else {
        yield step.value;
        next = texts.next();
      }
    }
  } catch (error) {
    yield failed(error);
  } finally {
    signal.removeEventListener('abort', onAbort);
    next.catch(() => {});
    void texts.return(undefined);
  }
}
