/** The HTTP server: listens as configured, replaces its TLS certificate without downtime, and drains its connections. */
import type { App } from './app.ts';
import { belowPath } from './base-path.ts';
import { type ConnectionTimes, type Listening, listen } from './listener.ts';
import type { WebOptions } from './options.ts';
import { readTls } from './tls.ts';

type Certificate = NonNullable<WebOptions['tls']>;

export interface HttpServer {
  readonly port: number;
  readonly url: URL;
  /**
   * Replaces the certificate (PEM text) of a server with TLS. Once it resolves, new connections get the new certificate. Open
   * connections continue with the old one.
   */
  renew(certificate: Certificate): Promise<void>;
  /** From now on, every response closes its connection. */
  drain(): void;
  /** Stops listening. Resolves when the requests in flight have ended; `force` aborts them. */
  stop(force?: boolean): Promise<void>;
}

/** Throws CONFIGURATION_ERROR if the port can't be bound, or if the certificate or the key is unusable. */
export function serve(app: App, web: WebOptions, times?: ConnectionTimes): HttpServer {
  const { host, port, base_path: base } = web;
  const settings = {
    app: base === '' ? app : belowPath(app, base),
    host,
    port,
    tls: web.tls && readTls(web.tls),
    times,
  };
  let current = settings.tls ? sharing(settings) : listen(settings);
  const { url } = current;
  let isDraining = false;
  // Listeners with an earlier certificate, which may still have long streams.
  const earlier = new Set<typeof current>();
  const endings = new Set<Promise<void>>();

  return {
    port: current.port,
    url,
    async renew(tls) {
      if (isDraining) return;
      const old = current;
      current = listen({ ...settings, port: old.port, tls, shared: true });
      earlier.add(old);
      const { ended } = await old.close();
      const ending = ended.finally(() => {
        earlier.delete(old);
        endings.delete(ending);
      });
      endings.add(ending);
    },
    drain() {
      isDraining = true;
      current.drain();
    },
    async stop(force) {
      isDraining = true;
      if (force) await Promise.all([...earlier, current].map((listener) => listener.abort()));
      else await Promise.all([...endings, (await current.close()).ended]);
    },
  };
}

/**
 * Bun can't change the certificate of a listener, so `renew` starts a second listener on the same port. Both must set
 * SO_REUSEPORT, which also allows another program on the port. So a probe without SO_REUSEPORT first checks that the port is
 * free.
 */
function sharing(settings: Listening) {
  const probe = listen(settings);
  const { port } = probe;
  void probe.abort();
  return listen({ ...settings, port, shared: true });
}
