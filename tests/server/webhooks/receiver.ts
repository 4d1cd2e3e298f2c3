/** A server on this machine that receives webhooks. */
import { afterAll, afterEach } from 'bun:test';

interface Received {
  path: string;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  body: any;
}

export interface Receiver {
  url: string;
  host: string;
  received: Received[];
  /** How it responds (default: 200). Is reset after each test. */
  answer(request: Received): Response | Promise<Response>;
  close(): Promise<void>;
}

export function receiver(): Receiver {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname: path, search } = new URL(request.url);
      const text = await request.text();
      const one = { path: path + search, headers: request.headers, text, body: JSON.parse(text) };
      received.push(one);
      return self.answer(one);
    },
  });
  const self: Receiver = {
    ...{ url: `http://127.0.0.1:${server.port}`, host: `127.0.0.1:${server.port}`, received },
    answer: () => new Response(),
    close: () => server.stop(true),
  };
  return self;
}

/** The same for the tests of a file. */
export function runningReceiver(): Receiver {
  const one = receiver();
  const { answer } = one;
  afterEach(() => {
    one.received.length = 0;
    one.answer = answer;
  });
  afterAll(() => one.close());
  return one;
}
