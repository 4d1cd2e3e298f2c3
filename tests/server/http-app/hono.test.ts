/** A Hono app in front of the API: its routes come first, and its middleware also runs for built-in routes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { allEvents } from '../../support/events.ts';
import { type Provider, scriptedProvider } from '../../support/provider.ts';
import { providerEnv, type TestService } from '../../support/service.ts';
import { echoing } from '../support/calls.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { posted, servedApp } from './served-app.ts';

const APP = `
import { Client } from '@langchain/langgraph-sdk';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { streamText } from 'hono/streaming';

const early = new Client();
let delivered: unknown;

export const app = new Hono()
  .use(async (c, next) => {
    if (c.req.query('interrupt') !== undefined) return c.json({ status: 'interrupted' });
    c.header('x-before', 'true');
    await next();
    c.header('x-after', 'true');
  })
  .use('/threads', async (c, next) => {
    const added = c.req.header('x-metadata');
    if (added !== undefined) {
      const body = await c.req.json();
      body.metadata = { ...body.metadata, added };
    }
    await next();
  })
  .use('/threads', async (c, next) => {
    const whole = c.req.header('x-replace');
    if (whole !== undefined) c.req.raw = new Request(c.req.raw, { body: whole });
    if (c.req.header('x-read') !== undefined) await c.req.text();
    if (c.req.header('x-try') !== undefined) await c.req.json().catch(() => {});
    await next();
  })
  .get('/custom/my-route', (c) => c.json({ foo: 'bar' }, { headers: { 'x-output': c.req.header('x-input') ?? '' } }))
  .get('/runs/afakeroute', (c) => c.json({ foo: 'afakeroute' }))
  .get('/livez', (c) => c.text('of the app'))
  .get('/custom/error', () => { throw new HTTPException(400, { message: 'Bad request' }); })
  .get('/custom/missing', (c) => c.json({ of: 'the app' }, 404))
  .get('/custom/streaming', (c) => streamText(c, async (stream) => {
    for (let i = 0; i < 4; i++) {
      await stream.writeln('Count: ' + i);
      await Bun.sleep(20);
    }
  }))
  .get('/custom/client', async (c) => c.json(await new Client().threads.create({ metadata: { by: 'client' } })))
  .get('/custom/early', async (c) => c.json(await early.threads.search({ metadata: { by: 'client' } })))
  .get('/custom/address', (c) => c.json((globalThis as never)[Symbol.for('langgraph_api:url')]))
  .post('/custom/echo', async (c) => c.json({ bytes: (await c.req.arrayBuffer()).byteLength }))
  .notFound((c) => c.json({ status: 'not-found' }));
`;

let provider: Provider;
let service: TestService;
beforeAll(async () => {
  provider = scriptedProvider(echoing());
  service = await servedApp(APP, { env: providerEnv(provider.url) });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

test("its own routes respond, also below the API's paths, and stream", async () => {
  const own = await service.fetch('/custom/my-route?x=1', { headers: { 'x-input': 'hey' } });
  expect(await own.json()).toEqual({ foo: 'bar' });
  expect(own.headers.get('x-output')).toBe('hey');
  expect(own.headers.get('x-after')).toBe('true');
  expect(await (await service.fetch('/runs/afakeroute')).json()).toEqual({ foo: 'afakeroute' });
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  for await (const piece of (await service.fetch('/custom/streaming')).body ?? [])
    pieces.push(decoder.decode(piece));
  // On a busy machine, neighbouring pieces can arrive together.
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe('Count: 0\nCount: 1\nCount: 2\nCount: 3\n');
});

test('its errors are its own, and a 404 of one of its routes is kept', async () => {
  const refused = await service.fetch('/custom/error');
  expect([refused.status, await refused.text()]).toEqual([400, 'Bad request']);
  const missing = await service.fetch('/custom/missing');
  expect([missing.status, await missing.json()]).toEqual([404, { of: 'the app' }]);
});

test('its notFound is ignored, and unmatched requests go to the API', async () => {
  const unknown = await service.fetch('/does/not/exist');
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ error_code: 'NOT_FOUND' });
  const wrong = await service.fetch('/api/v1/chat', { method: 'DELETE' });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await service.fetch('/api/v1/workflows', { method: 'HEAD' })).status).toBe(200);
});

test('its middleware adds headers to built-in routes, and can respond instead of them', async () => {
  const info = await service.fetch('/info');
  expect(await info.json()).toMatchObject({ context: 'js' });
  expect([info.headers.get('x-before'), info.headers.get('x-after')]).toEqual(['true', 'true']);
  expect(info.headers.get('x-request-id')).not.toBeNull();
  expect(await (await service.fetch('/info?interrupt')).json()).toEqual({ status: 'interrupted' });
});

test('the API reads the body as its middleware has changed it', async () => {
  const changed = await service.fetch('/threads', posted({ metadata: { a: 1 } }, { 'x-metadata': 'x' }));
  expect(await changed.json()).toMatchObject({ metadata: { a: 1, added: 'x' } });
  const replaced = await service.fetch(
    '/threads',
    posted({}, { 'x-replace': JSON.stringify({ metadata: { of: 'another request' } }) }),
  );
  expect(await replaced.json()).toMatchObject({ metadata: { of: 'another request' } });
  const read = await service.fetch('/threads', posted({ metadata: { b: 2 } }, { 'x-read': '1' }));
  expect(await read.json()).toMatchObject({ metadata: { b: 2 } });
  const headers = { 'content-type': 'application/json', 'x-try': '1' };
  const bad = await service.fetch('/threads', { method: 'POST', headers, body: '{"metadata":' });
  expect(bad.status).toBe(400);
});

test("in it, a client without a URL reaches the service, whenever the client was created, as does one with the service's address", async () => {
  const made = await (await service.fetch('/custom/client')).json();
  expect(made).toMatchObject({ metadata: { by: 'client' } });
  const found = await (await service.fetch('/custom/early')).json();
  expect(found).toEqual([made]);
  expect(await (await service.fetch('/custom/address')).json()).toBe(service.url);
});

test('chat runs and streams through it, and a client that disconnects cancels its turn', async () => {
  const chatBody = { conversation_flow: 'classification-agent', user_prompt: 'hi' };
  const streamed = await service.fetch('/api/v1/chat', posted({ ...chatBody, stream: true }));
  expect(streamed.headers.get('x-after')).toBe('true');
  expect((await allEvents(streamed)).map(({ event }) => event).at(-1)).toBe('end');
  provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
  const calls = provider.requests.length;
  for (const stream of [true, false]) {
    const client = new AbortController();
    const body = posted({ ...chatBody, stream, thread_id: `gone-${stream}` });
    const disconnected = service
      .fetch('/api/v1/chat', { ...body, signal: client.signal })
      .then((one) => one.text());
    await until(() => provider.requests.length === calls + (stream ? 2 : 4));
    client.abort();
    expect(await disconnected.catch(({ name }) => name)).toBe('AbortError');
    await until(async () => (await storedIn(service.folder)).runs.at(-1)?.status === 'cancelled', 2_000);
  }
});

test('the API itself responds to the probes', async () => {
  for (const path of ['/livez?interrupt', '/readyz?interrupt']) {
    const probe = await service.fetch(path);
    expect([await probe.text(), probe.headers.has('x-after')]).toEqual(['ok', false]);
  }
  expect(await (await service.fetch('/api/v1/health?interrupt')).json()).toMatchObject({ status: 'healthy' });
});

test('a body of any size up to the limit reaches it', async () => {
  const large = await service.fetch('/custom/echo', { method: 'POST', body: new Uint8Array(5_000_000) });
  expect(await large.json()).toEqual({ bytes: 5_000_000 });
});
