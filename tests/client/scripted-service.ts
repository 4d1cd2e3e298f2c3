/** A scripted service on a local socket, for responses that the real service doesn't send on demand. */
import { streamChat } from '../../client/client.ts';
import { ASKED, QUICK } from './streams.ts';

export interface SeenRequest {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

export interface ScriptedService {
  url: string;
  seen: SeenRequest[];
  /** `GET /path`, one per request. */
  requestLines(): string[];
  close(): Promise<void>;
}

/** `answer` gets the request and its index. */
export function scriptedService(
  answer: (request: SeenRequest, index: number) => Response | Promise<Response>,
): ScriptedService {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { method, headers } = request;
      const received = { method, path: new URL(request.url).pathname, headers, body: await request.text() };
      return answer(received, seen.push(received) - 1);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    seen,
    requestLines: () => seen.map(({ method, path }) => `${method} ${path}`),
    close: () => server.stop(true),
  };
}

export const RUN = { run_id: 'r', thread_id: 't', message_id: 'm', workflow: 'w' };

export function frame(id: number | undefined, event: string, data: unknown = {}): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const token = (id: number, text = `t${id}`) => frame(id, 'token', { agent: 'a', text });

/** A stream that ends after the text. With `open`, it stays open without further events. */
export function stream(text: string, { open = false } = {}): Response {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      if (!open) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = { status: 'error', message: code, error_code: code, timestamp: '', request_id: 'q' };
  return Response.json(body, { status, headers });
}

export const chatAt = (url: string, options: Parameters<typeof streamChat>[2] = {}) =>
  streamChat(url, ASKED, { ...QUICK, ...options });
