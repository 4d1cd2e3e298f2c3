/** Serves the application over a socket. */
import type { Server } from 'bun';
import { configurationError } from '../state/errors.ts';
import type { App } from './app.ts';
import type { SocketEnd } from './connection.ts';
import type { WebOptions } from './options.ts';
import { readTls } from './tls.ts';

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

/** The port and host as configured; throws CONFIGURATION_ERROR, naming WEB_PORT where it may not be bound. */
export function serve(app: App, web: WebOptions, times = TIMES): Server<SocketEnd> {
  const tls = web.tls && readTls(web.tls);
  try {
    return Bun.serve({
      hostname: web.host,
      port: web.port,
      tls,
      idleTimeout: times.body,
      // Bodies are bounded where they are read, with an answer in the service's own form.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      // Outside of development Bun shares a port that is taken, and half of the requests go to the other program.
      reusePort: false,
      // A client that stops in the middle of its body is cut off. Once the request is there, a run may be silent for as
      // long as its deadline allows: the runtime ends it, not the socket.
      async fetch(request, server) {
        let isTaken = false;
        const response = await app.handle(request, {
          received: () => server.timeout(request, 0),
          address: server.requestIP(request)?.address ?? '',
          takeOver(end) {
            isTaken ||= server.upgrade(request, { data: end });
            return isTaken;
          },
        });
        if (isTaken) return undefined;
        // Once the response is sent, its request can no longer set a timeout.
        server.timeout(request, times.idle);
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
    });
  } catch (cause) {
    throw configurationError('web_configuration.port', `port ${web.port} cannot be used: ${reasonOf(cause)}`);
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  const hint = 'set WEB_PORT or --port to another one';
  if (code === 'EADDRINUSE') return `another program listens there; ${hint}`;
  if (code === 'EACCES') return `ports below 1024 need more rights; ${hint}`;
  return `${message ?? code ?? 'unknown reason'}; ${hint}`;
}
