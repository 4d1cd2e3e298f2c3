/** Serves a page of a test on another origin. */

export interface PageServer {
  origin: string;
  close(): Promise<void>;
}

const HTML =
  '<!doctype html><title>page</title><div id="page"></div><script type="module" src="/page.js"></script>';

/** `entry` is the page's module, which is bundled; `how` are the bundler options of its framework. */
export async function pageServer(
  entry: string,
  how: Pick<Bun.BuildConfig, 'plugins' | 'conditions'> = {},
): Promise<PageServer> {
  const define = { 'process.env.NODE_ENV': '"production"' };
  const { outputs } = await Bun.build({ entrypoints: [entry], define, target: 'browser', ...how });
  const script = await outputs[0]?.text();
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch(request) {
      const isScript = new URL(request.url).pathname === '/page.js';
      const type = isScript ? 'text/javascript' : 'text/html';
      return new Response(isScript ? script : HTML, { headers: { 'content-type': type } });
    },
  });
  return { origin: server.url.origin, close: () => server.stop(true) };
}
