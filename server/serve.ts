/** Serves the application as configured, with a certificate that can be replaced, and lets its clients go when it ends. */
import type { App } from './app.ts';
import { belowPath } from './base-path.ts';
import { type ConnectionTimes, type Listening, listen } from './listener.ts';
import type { WebOptions } from './options.ts';
import { readTls } from './tls.ts';

type Certificate = NonNullable<WebOptions['tls']>;

export interface HttpServer {
  readonly port: number;
  readonly url: URL;
  /** New connections get this certificate once it resolves; those that are open go on. For a server with one. */
  renew(certificate: Certificate): Promise<void>;
  /** From now on every answer ends its connection. */
  leave(): void;
  /** Stops listening; resolves when the requests in flight are answered. With `force` they are cut off. */
  stop(force?: boolean): Promise<void>;
}

/** The port and host as configured; throws CONFIGURATION_ERROR, naming WEB_PORT where it may not be bound. */
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
  let isLeaving = false;
  // They may have long streams.
  const earlier = new Set<typeof current>();
  const endings = new Set<Promise<void>>();

  return {
    port: current.port,
    url,
    async renew(tls) {
      if (isLeaving) return;
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
    leave() {
      isLeaving = true;
      current.leave();
    },
    async stop(force) {
      isLeaving = true;
      if (force) await Promise.all([...earlier, current].map((listener) => listener.cut()));
      else await Promise.all([...endings, (await current.close()).ended]);
    },
  };
}

/**
 * Bun gives a listener no other certificate, so one with another certificate takes its place on the same port. Both must
 * allow that from the start, so whether the port is free is found out before, with a listener that does not.
 */
function sharing(settings: Listening) {
  const probe = listen(settings);
  const { port } = probe;
  void probe.cut();
  return listen({ ...settings, port, shared: true });
}
