/** Clients that send requests in a loop and count the outcomes. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** The number of each outcome: a status, `refused`, or an error that no client should see. */
type Ends = Record<string, number>;

export interface LoopingClients {
  ends: Ends;
  /** Responses with `Connection: close`. */
  closing(): number;
  /** Resolves when the service refuses all of their connections. */
  over: Promise<unknown>;
}

/**
 * Half of the clients use raw sockets, half `fetch`. Each stops when its connection is refused. They keep their connections, or
 * the `fetch` clients open a new connection for each request.
 */
export function loopingClients(url: string, count: number, { keepalive = true } = {}): LoopingClients {
  const ends: Ends = {};
  let closing = 0;
  const seen = (end: string, closes = false) => {
    ends[end] = (ends[end] ?? 0) + 1;
    if (closes) closing++;
    return end === 'refused';
  };
  const clients = Array.from({ length: count }, async (_, index) => {
    const ask = index % 2 === 0 ? rawClient(url) : fetchClient(url, keepalive);
    for (;;) {
      const { end, closes } = await ask();
      if (seen(end, closes)) return;
      await Bun.sleep(1);
    }
  });
  return { ends, closing: () => closing, over: Promise.all(clients) };
}

interface Seen {
  end: string;
  closes?: boolean;
}

function fetchClient(url: string, keepalive: boolean): () => Promise<Seen> {
  return async () => {
    try {
      const response = await fetch(url, { keepalive, tls: { rejectUnauthorized: false } });
      await response.bytes();
      return { end: String(response.status), closes: response.headers.get('connection') === 'close' };
    } catch (error) {
      return { end: endOf(error) };
    }
  };
}

/** Keeps its connection until a response closes it, as in HTTP/1.1. */
function rawClient(url: string): () => Promise<Seen> {
  let socket: Socket | undefined;
  return async () => {
    try {
      socket ??= await opened(url);
      const head = await answered(socket, url);
      const closes = /\r\nconnection: close\r\n/i.test(head);
      if (closes) socket.destroy();
      if (closes) socket = undefined;
      return { end: head.split(' ')[1] ?? head, closes };
    } catch (error) {
      socket?.destroy();
      socket = undefined;
      return { end: endOf(error) };
    }
  };
}

function opened(url: string): Promise<Socket> {
  const { protocol, hostname: host, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const isTls = protocol === 'https:';
  const to = { host, port: Number(port) };
  const socket: Socket = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket));
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('closed while it was opened')));
  return promise;
}

/** The headers of the response, after the whole response has arrived. */
function answered(socket: Socket, url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  const read = (piece: Buffer) => {
    text += piece.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
    if (end >= 0 && text.length >= end + 4 + length) resolve(text.slice(0, end + 2));
  };
  const lost = () => reject(new Error('closed without an answer'));
  socket.on('data', read);
  socket.once('close', lost);
  socket.once('error', reject);
  socket.write(`GET ${new URL(url).pathname} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return promise.finally(() => {
    socket.off('data', read);
    socket.off('close', lost);
    socket.off('error', reject);
  });
}

function endOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return code === 'ECONNREFUSED' || code === 'ConnectionRefused' ? 'refused' : (code ?? message);
}
