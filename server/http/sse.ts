/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import { meterOf, type StreamMeter } from './stream-ends.ts';
import { LATE, within } from './within.ts';

export interface SseOptions {
  /** Aborts when the listener goes away. */
  signal: AbortSignal;
  headers?: Record<string, string>;
  /** What is sent when the texts cannot be made; the stream ends with it. */
  failed(error: unknown): string;
}

const HEARTBEAT_MS = 5_000;
const HEARTBEAT = ': heartbeat\n\n';

/** The answer that streams the texts as they come; what the listener does not read is not held for it. */
export function sse(texts: AsyncGenerator<string>, { signal, headers = {}, failed }: SseOptions): Response {
  const own = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
  const meter = meterOf(signal);
  const sent = pieces(texts, { signal, failed });
  // Bun asks an iterator for its next piece only when the socket has taken the one before.
  return new Response((meter ? metered(sent, meter) : sent) as unknown as ReadableStream, {
    headers: { ...own, ...headers },
  });
}

export interface SseFrame {
  id?: number | string | undefined;
  event: string;
  data: unknown;
}

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

async function* pieces(
  texts: AsyncGenerator<string>,
  { signal, failed }: SseOptions,
): AsyncGenerator<string> {
  const gone = Promise.withResolvers<undefined>();
  const leave = () => gone.resolve(undefined);
  signal.addEventListener('abort', leave, { once: true });
  let next = texts.next();
  try {
    while (!signal.aborted) {
      const step = await Promise.race([within(next, HEARTBEAT_MS), gone.promise]);
      if (step === undefined) return;
      if (step === LATE) yield HEARTBEAT;
      else if (step.done) return;
      else {
        yield step.value;
        next = texts.next();
      }
    }
  } catch (error) {
    yield failed(error);
  } finally {
    signal.removeEventListener('abort', leave);
    next.catch(() => {});
    void texts.return(undefined);
  }
}
