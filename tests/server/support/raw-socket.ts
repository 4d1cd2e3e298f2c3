/** A TCP connection to the service, for requests that no client library would send. */
import type { Answer } from '../../support/service.ts';
import { until } from './until.ts';

export interface RawSocket {
  /** All received data. */
  received(): string;
  /** Sends as much as the peer reads. Returns the number of bytes sent before `stop`, or all of them. */
  send(bytes: string | Uint8Array, stop?: () => boolean): Promise<number>;
  /** The first response, when it is complete. */
  answer(milliseconds?: number): Promise<Answer>;
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>;
  close(): void;
}

export async function rawSocket({ url }: { url: string }): Promise<RawSocket> {
  const { protocol, hostname, port } = new URL(url);
  const closed = Promise.withResolvers<void>();
  let received = '';
  let drained = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    ...(protocol === 'https:' && { tls: { rejectUnauthorized: false } }),
    socket: {
      data(_, data) {
        received += data.toString();
      },
      drain: () => drained.resolve(),
      close() {
        drained.resolve();
        closed.resolve();
      },
      error: () => drained.resolve(),
    },
  });
  return {
    received: () => received,
    async send(text, stop = () => false) {
      const bytes = Buffer.from(text);
      let sent = 0;
      while (sent < bytes.length && !stop()) {
        drained = Promise.withResolvers();
        const taken = socket.write(bytes.subarray(sent));
        if (taken < 0) break;
        sent += taken;
        // A peer that no longer reads never drains the socket, so check periodically for a response.
        if (sent < bytes.length) await Promise.race([drained.promise, Bun.sleep(5)]);
      }
      return sent;
    },
    async answer(milliseconds) {
      await until(() => answerIn(received) !== undefined, milliseconds);
      return answerIn(received) as Answer;
    },
    closed: closed.promise,
    close: () => socket.terminate(),
  };
}

/** Returns undefined while the response is incomplete. */
function answerIn(text: string): Answer | undefined {
  const end = text.indexOf('\r\n\r\n');
  const [status = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
  const body = text.slice(end + 4);
  if (end < 0 || Buffer.byteLength(body) < Number(headers.get('content-length'))) return undefined;
  return { status: Number(status.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body) };
}
