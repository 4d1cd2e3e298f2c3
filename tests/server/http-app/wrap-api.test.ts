/** Authentication, body limits, WebSocket upgrades and shutdown with an app in front of the API. */
import { expect, onTestFinished, test } from 'bun:test';
import { Hono } from 'hono';
import { mountApp } from '../../../server/http-app/mount.ts';
import { type Api, wrapApi } from '../../../server/http-app/wrap-api.ts';
import type { TestService } from '../../support/service.ts';
import { protectedConfig, ROBOT } from '../support/credentials.ts';
import { rawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import { posted, servedApp } from './served-app.ts';

async function served(app: string, options: Parameters<typeof servedApp>[1] = {}): Promise<TestService> {
  const service = await servedApp(`import { Hono } from 'hono';\n${app}`, options);
  onTestFinished(() => service.close());
  return service;
}

test('built-in routes require credentials as before; routes of the app decide themselves', async () => {
  const { fetch } = await served(
    `import { Client } from '@langchain/langgraph-sdk';
    export const app = new Hono()
      .get('/custom/open', (c) => c.text('open'))
      .get('/custom/count', async (c) => {
        const client = new Client({ defaultHeaders: { 'x-api-key': c.req.header('x-api-key') ?? '' } });
        return c.json(await client.threads.count().catch(({ status }) => ({ status })));
      });`,
    { config: protectedConfig() },
  );
  expect(await (await fetch('/custom/open')).text()).toBe('open');
  expect((await fetch('/threads/search', posted({}))).status).toBe(401);
  expect((await fetch('/threads/search', posted({}, ROBOT))).status).toBe(200);
  expect((await fetch('/custom/unknown')).status).toBe(401);
  expect(await (await fetch('/custom/count')).json()).toEqual({ status: 401 });
  expect(await (await fetch('/custom/count', { headers: ROBOT })).json()).toBe(0);
});

test('routes of the app match with any Host header', async () => {
  const service = await served(`export const app = new Hono().get('/custom/open', (c) => c.text('open'));`);
  for (const host of ['a', 'not a host']) {
    const socket = await rawSocket(service);
    await socket.send(`GET /custom/open HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    await socket.closed;
    expect(socket.received()).toEndWith('open');
  }
});

test('a body over the limit is rejected, however the app handles the error', async () => {
  const { url } = await served(
    `export const app = new Hono().post('/custom/echo', async (c) =>
      c.json(await c.req.arrayBuffer().then(({ byteLength }) => byteLength, () => 'cut')));`,
  );
  const piece = new Uint8Array(8 * 2 ** 20);
  async function* pieces() {
    for (let sent = 0; sent < 17; sent++) yield piece;
  }
  const response = await fetch(`${url}/custom/echo`, { method: 'POST', body: pieces() as never });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error_code: 'PAYLOAD_TOO_LARGE' });
});

test('a client that stops in the middle of its body is disconnected, one that waits for a response is not', async () => {
  const times = { idle: 75, body: 1 };
  const service = await served(
    `export const app = new Hono()
      .post('/custom/read', async (c) => c.text(await c.req.text().catch(() => 'cut')))
      .all('/custom/slow', async (c) => { await Bun.sleep(7_000); return c.text('slow'); });`,
    { times },
  );
  const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n`;
  const cut = await rawSocket(service);
  const began = performance.now();
  await cut.send(`${head('/custom/read')}ab`);
  const slow = [{}, { method: 'POST', body: 'unread' }].map((init) => service.fetch('/custom/slow', init));
  await cut.closed;
  expect(performance.now() - began).toBeLessThan(20_000);
  for (const answer of slow) expect(await (await answer).text()).toBe('slow');
}, 30_000);

const api = (part: Partial<Api>): Api => ({
  handle: async () => new Response('api'),
  close: async () => {},
  serves: () => true,
  errorFor: (error) => new Response(String(error), { status: 500 }),
  record: () => {},
  ...part,
});

async function wrapped(app: Hono, part: Partial<Api>) {
  const mounted = await mountApp(app);
  if (!mounted) throw new Error('expected an app');
  return wrapApi(api(part), mounted);
}

test('a WebSocket is upgraded with the original request, unless a middleware of the app rejects it', async () => {
  const app = new Hono()
    .use(async (c, next) => {
      if (c.req.query('refused') !== undefined) return c.text('refused', 403);
      c.req.raw = new Request(c.req.raw, { headers: { changed: 'true' } });
      await next();
      c.header('x-after', 'true');
    })
    .notFound((c) => c.text('ignored'));
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request, server) {
      const upgrade = async (left: Request) => {
        if (server.upgrade(left)) return undefined as unknown as Response;
        return new Response('no socket', { status: 400 });
      };
      return (await wrapped(app, { handle: upgrade })).handle(request);
    },
    websocket: { message: (socket, text) => void socket.send(`re: ${text}`) },
  });
  onTestFinished(() => server.stop(true));
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/threads/1/stream`);
  const received = new Promise((resolve, reject) => {
    socket.onmessage = ({ data }) => resolve(data);
    socket.onerror = reject;
  });
  socket.onopen = () => socket.send('hello');
  expect(await received).toBe('re: hello');
  socket.close();
  const headers = { upgrade: 'websocket', connection: 'upgrade' };
  const refused = await fetch(`${server.url}threads?refused`, { headers });
  expect(refused.status).toBe(403);
});

test('closing waits for open requests of the app and rejects new ones; in-process calls of open requests still succeed', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const closed: string[] = [];
  let waiting = false;
  const own = new Hono().get('/held', async (c) => {
    waiting = true;
    await held;
    return c.text(await (await front.handle(new Request('http://localhost/inner'))).text());
  });
  const front = await wrapped(own, { close: async () => void closed.push('api') });
  const open = front.handle(new Request('http://localhost/held'));
  await until(() => waiting);
  const closing = front.close(5_000).then(() => closed.push('front'));
  const late = await front.handle(new Request('http://localhost/held'));
  expect(await late.text()).toContain('shutting down');
  expect(closed).toEqual([]);
  release();
  expect(await (await open).text()).toBe('api');
  await closing;
  expect(closed).toEqual(['api', 'front']);
});
