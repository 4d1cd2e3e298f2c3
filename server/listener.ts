/** Serves the application on one listening socket. */
import { configurationError } from '../state/errors.ts';
import type { App } from './app.ts';
import type { SocketEnd } from './connection.ts';
import type { WebOptions } from './options.ts';

/** Timeouts in seconds, at most 255. Bun checks them every four seconds. */
export interface ConnectionTimes {
  /**
   * From a response to the end of the next request's headers, and between two chunks of a response. Must exceed the interval
   * of heartbeats.
   */
  idle: number;
  /** Between two chunks of a request's body. */
  body: number;
}

// Load balancers keep idle connections for 60 seconds, and the server must keep them longer. Bun always allows 10 seconds for
// the headers of a connection's first request, and counts incomplete headers of later requests as idle time.
const TIMES: ConnectionTimes = { idle: 75, body: 30 };

// Bun pings the peer of a WebSocket before this time is over, and closes the socket if no pong arrives.
const SOCKET_IDLE_SECONDS = 60;
const MAX_MESSAGE_BYTES = 4 * 2 ** 20;

export interface Listening {
  app: App;
  host: string;
  port: number;
  /** The certificate and the key as PEM text. */
  tls: WebOptions['tls'];
  /** Sets SO_REUSEPORT: other listeners with the same option, of this or of another process, may use the port too. */
  shared?: boolean;
  times?: ConnectionTimes | undefined;
}

export interface Listener {
  readonly port: number;
  readonly url: URL;
  /** From now on, every response closes its connection. */
  drain(): void;
  /** Resolves when the listener accepts no more connections. `ended` resolves when the requests in flight have ended. */
  close(): Promise<{ ended: Promise<void> }>;
  /** Stops listening and aborts the requests in flight. */
  abort(): Promise<void>;
}

// When a server stops, Bun closes every connection without a request in flight, including those that are just being opened. So
// `close` first holds back all responses: clients on kept-alive connections then have a request in flight. It releases them when
// no new request has arrived for QUIET_MS, or after MAX_HELD_MS.
const QUIET_MS = 100;
const MAX_HELD_MS = 1_000;

/** Throws CONFIGURATION_ERROR for `web_configuration.port` if the port can't be bound. */
export function listen({ app, host, port, tls, shared = false, times = TIMES }: Listening): Listener {
  let isDraining = false;
  let held: Promise<void> | undefined;
  let lastRequestAt = 0;
  const server = bound(port, () =>
    Bun.serve<SocketEnd>({
      hostname: host,
      port,
      tls,
      idleTimeout: times.body,
      // `body-bytes.ts` limits bodies, with errors in the service's own format.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      // Off by default: two programs that share a port by accident would each get half of the requests.
      reusePort: shared,
      // The idle timeout only limits the arrival of the body. After that it is off, because a run may send nothing for as long
      // as its deadline allows. The runtime ends a run, not the socket.
      async fetch(request, server) {
        let isUpgraded = false;
        lastRequestAt = performance.now();
        const response = await app.handle(request, {
          received: () => server.timeout(request, 0),
          address: server.requestIP(request)?.address ?? '',
          upgrade(end) {
            isUpgraded ||= server.upgrade(request, { data: end });
            return isUpgraded;
          },
        });
        if (isUpgraded) return undefined;
        await held;
        // Must be set here: Bun ignores the timeout of a request whose response has been sent.
        server.timeout(request, times.idle);
        if (isDraining) response.headers.set('connection', 'close');
        return response;
      },
      websocket: {
        maxPayloadLength: MAX_MESSAGE_BYTES,
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

  async function waitUntilQuiet(): Promise<void> {
    const began = performance.now();
    const remaining = (now: number) =>
      Math.min(began + MAX_HELD_MS, Math.max(began, lastRequestAt) + QUIET_MS) - now;
    for (let wait = QUIET_MS; wait > 0; wait = remaining(performance.now())) await Bun.sleep(wait);
  }

  return {
    port: server.port ?? port,
    url: server.url,
    drain() {
      isDraining = true;
    },
    async close() {
      isDraining = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      await waitUntilQuiet();
      const ended = server.stop();
      resolve();
      return { ended };
    },
    abort: () => server.stop(true),
  };
}

function bound<T>(port: number, serve: () => T): T {
  try {
    return serve();
  } catch (cause) {
    throw configurationError('web_configuration.port', `cannot listen on port ${port}: ${reasonOf(cause)}`);
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  const hint = 'set WEB_PORT or --port to another port';
  if (code === 'EADDRINUSE') return `the port is already in use; ${hint}`;
  if (code === 'EACCES') return `ports below 1024 require elevated privileges; ${hint}`;
  return `${message ?? code ?? 'unknown reason'}; ${hint}`;
}
