/** One listening socket over which the application is served. */
import { configurationError } from '../state/errors.ts';
import type { App } from './app.ts';
import type { SocketEnd } from './connection.ts';
import type { WebOptions } from './options.ts';

/** In seconds, up to 255; Bun looks every four seconds. */
export interface ConnectionTimes {
  /** From an answer to the end of the next request's header, and between two pieces of an answer. Must exceed the heartbeat. */
  idle: number;
  /** Between two pieces of a request's body. */
  body: number;
}

// Load balancers keep idle connections for a minute, so 75 is longer. Bun always gives the first header of a connection 10
// seconds, and counts an unfinished later header as idle time.
const TIMES: ConnectionTimes = { idle: 75, body: 30 };

// Of a WebSocket. Without a sign of life of the other side it is closed; Bun asks for one in time.
const SOCKET_IDLE_SECONDS = 60;
const MOST_MESSAGE_BYTES = 4 * 2 ** 20;

export interface Listening {
  app: App;
  host: string;
  port: number;
  /** As PEM texts. */
  tls: WebOptions['tls'];
  /** Another listener of this process may share the port, and one of any other program that allows it. */
  shared?: boolean;
  times?: ConnectionTimes | undefined;
}

export interface Listener {
  readonly port: number;
  readonly url: URL;
  /** From now on every answer ends its connection. */
  leave(): void;
  /** Resolves once it no longer listens; `ended` when the requests in flight are answered. */
  close(): Promise<{ ended: Promise<void> }>;
  /** Stops listening and cuts off the requests in flight. */
  cut(): Promise<void>;
}

// To stop, Bun closes every connection that has no request in flight, also one that is just being opened. So clients that repeat
// their requests are first made to wait for an answer: each then has a request in flight.
// They are let go when no further request has come for a while, or late at most.
const QUIET_MS = 100;
const MOST_HELD_MS = 1_000;

/** Throws CONFIGURATION_ERROR, naming WEB_PORT, where the port cannot be bound. */
export function listen({ app, host, port, tls, shared = false, times = TIMES }: Listening): Listener {
  let isLeaving = false;
  let held: Promise<void> | undefined;
  let lastRequestAt = 0;
  const server = bound(port, () =>
    Bun.serve<SocketEnd>({
      hostname: host,
      port,
      tls,
      idleTimeout: times.body,
      // Bodies are bounded where they are read, with an answer in the service's own form.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      // A port that is shared by accident sends half of the requests to the other program.
      reusePort: shared,
      // A client that stops in the middle of its body is cut off. Once the request is there, a run may be silent for as
      // long as its deadline allows: the runtime ends it, not the socket.
      async fetch(request, server) {
        let isTaken = false;
        lastRequestAt = performance.now();
        const response = await app.handle(request, {
          received: () => server.timeout(request, 0),
          address: server.requestIP(request)?.address ?? '',
          takeOver(end) {
            isTaken ||= server.upgrade(request, { data: end });
            return isTaken;
          },
        });
        if (isTaken) return undefined;
        await held;
        // Once the response is sent, its request can no longer set a timeout.
        server.timeout(request, times.idle);
        if (isLeaving) response.headers.set('connection', 'close');
        return response;
      },
      websocket: {
        maxPayloadLength: MOST_MESSAGE_BYTES,
        idleTimeout: SOCKET_IDLE_SECONDS,
        sendPings: true,
        open: (socket) =>
          socket.data.opened({
            send: (text) => socket.send(text) > 0,
            close: (code, reason) => socket.close(code, reason),
          }),
        message: ({ data }, message) => data.received(typeof message === 'string' ? message : undefined),
        drain: ({ data }) => data.drained(),
        close: ({ data }) => data.closed(),
      },
      error: () => new Response(null, { status: 500 }),
    }),
  );

  async function quiet(): Promise<void> {
    const began = performance.now();
    const rest = (now: number) =>
      Math.min(began + MOST_HELD_MS, Math.max(began, lastRequestAt) + QUIET_MS) - now;
    for (let left = QUIET_MS; left > 0; left = rest(performance.now())) await Bun.sleep(left);
  }

  return {
    port: server.port ?? port,
    url: server.url,
    leave() {
      isLeaving = true;
    },
    async close() {
      isLeaving = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      await quiet();
      const ended = server.stop();
      resolve();
      return { ended };
    },
    cut: () => server.stop(true),
  };
}

function bound<T>(port: number, serve: () => T): T {
  try {
    return serve();
  } catch (cause) {
    throw configurationError('web_configuration.port', `port ${port} cannot be used: ${reasonOf(cause)}`);
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  const hint = 'set WEB_PORT or --port to another one';
  if (code === 'EADDRINUSE') return `another program listens there; ${hint}`;
  if (code === 'EACCES') return `ports below 1024 need more rights; ${hint}`;
  return `${message ?? code ?? 'unknown reason'}; ${hint}`;
}
