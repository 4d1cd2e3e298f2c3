/** A TCP proxy that cuts its connections at positions that the test chooses. */
import type { Socket } from 'bun';

/** Returns how many of the bytes received so far are passed on. If fewer than all, the connection is cut. */
export type Keep = (received: string) => number;

export interface CuttingProxy {
  url: string;
  /** The upstream address. Tests may change it. */
  upstream: string;
  /** One entry per connection, in order; a connection without an entry is not cut. */
  cuts: Keep[];
  /** The bytes that each connection has sent upstream. */
  requests: string[];
  close(): void;
}

/** Cuts after this many bytes. */
export const atByte =
  (count: number): Keep =>
  () =>
    count;

/** Cuts this many bytes after the end of event number `count`; with 0, after the response headers. */
export function afterEvent(count: number, bytes = 0): Keep {
  return (received) => {
    let end = endOf('\r\n\r\n', received, 0);
    for (let seen = 0; seen < count; seen++) end = endOf('\n\n', received, end);
    return end + bytes;
  };
}

/** Returns Infinity if the event has not arrived yet. */
function endOf(mark: string, text: string, from: number): number {
  const start = text.indexOf(mark, from);
  return start < 0 ? Number.POSITIVE_INFINITY : start + mark.length;
}

interface Pair {
  other?: Socket<Pair>;
  waiting: Buffer[];
  received: string;
  keep: Keep | undefined;
  cut: boolean;
  index: number;
}

export function cuttingProxy(upstream: string): CuttingProxy {
  const listener = Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async open(client) {
        const index = proxy.requests.push('') - 1;
        client.data = { waiting: [], received: '', keep: proxy.cuts.shift(), cut: false, index };
        const { hostname, port } = new URL(proxy.upstream);
        const server = await Bun.connect<Pair>({
          hostname,
          port: Number(port),
          data: { ...client.data, other: client },
          socket: { data: passBack, close: ({ data }) => void (data.cut || data.other?.end()), error() {} },
        }).catch(() => undefined);
        if (!server) return void client.terminate();
        client.data.other = server;
        for (const bytes of client.data.waiting) server.write(bytes);
      },
      data({ data }, bytes) {
        proxy.requests[data.index] += bytes.toString('latin1');
        if (data.other) data.other.write(bytes);
        else data.waiting.push(Buffer.from(bytes));
      },
      close: ({ data }) => void data.other?.terminate(),
      error() {},
    },
  });
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${listener.port}`,
    upstream,
    cuts: [],
    requests: [],
    close: () => listener.stop(true),
  };
  return proxy;
}

function passBack(server: Socket<Pair>, bytes: Buffer): void {
  const { data } = server;
  if (data.cut) return;
  const before = data.received.length;
  data.received += bytes.toString('latin1');
  const kept = data.keep?.(data.received) ?? Number.POSITIVE_INFINITY;
  data.other?.write(bytes.subarray(0, Math.max(0, kept - before)));
  if (kept > data.received.length) return;
  data.cut = true;
  server.terminate();
  // Bun's client drops bytes that arrive together with the end, so most cuts should come later.
  setTimeout(() => data.other?.end(), 2);
}
