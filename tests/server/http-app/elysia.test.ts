/** Elysia apps in front of the API, although Elysia itself responds with 404 to unknown paths. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { TestService } from '../../support/service.ts';
import { posted, servedApp } from './served-app.ts';

function serving(app: string) {
  let service: TestService;
  beforeAll(async () => {
    service = await servedApp(`import { Elysia } from 'elysia';\n${app}`);
  });
  afterAll(() => service.close());
  return (path: string, init?: RequestInit) => service.fetch(path, init);
}

const ROUTES = `
  .get('/custom/my-route', () => ({ foo: 'bar' }))
  .get('/custom/missing', ({ status }) => status(404, { of: 'the app' }))
  .onError(({ code }) => (code === 'NOT_FOUND' ? new Response('not found here', { status: 200 }) : undefined))`;

describe('an app with hooks', () => {
  const fetch = serving(`export const app = new Elysia()
    .onRequest(({ set }) => { set.headers['x-first'] = 'true'; })
    .onBeforeHandle(({ query }) => (query.interrupt === undefined ? undefined : { status: 'interrupted' }))
    .onAfterHandle(({ set }) => { set.headers['x-after'] = 'true'; })${ROUTES};`);

  test('responds to its own routes, including their 404', async () => {
    expect(await (await fetch('/custom/my-route')).json()).toEqual({ foo: 'bar' });
    const missing = await fetch('/custom/missing');
    expect([missing.status, await missing.json()]).toEqual([404, { of: 'the app' }]);
  });

  test('passes everything else to the API, with its hooks around it', async () => {
    const info = await fetch('/info');
    expect(await info.json()).toMatchObject({ context: 'js' });
    expect([info.headers.get('x-first'), info.headers.get('x-after')]).toEqual(['true', 'true']);
    expect(await (await fetch('/info?interrupt')).json()).toEqual({ status: 'interrupted' });
    expect(await (await fetch('/does/not/exist')).json()).toMatchObject({ error_code: 'NOT_FOUND' });
    expect((await fetch('/api/v1/chat', { method: 'DELETE' })).status).toBe(405);
    const made = await fetch('/threads', posted({ metadata: { a: 1 } }));
    expect(await made.json()).toMatchObject({ metadata: { a: 1 } });
    const bad = await fetch('/threads', { ...posted({}), body: '{"metadata":' });
    expect([bad.status, await bad.text()]).toEqual([400, 'The request body is not valid JSON']);
  });
});

describe('an app whose hooks use the body', () => {
  const fetch = serving(`export const app = new Elysia()
    .onBeforeHandle(({ body }) => {
      if (typeof body === 'object' && body !== null && 'metadata' in body) Object.assign(body.metadata, { added: 'x' });
    })
    .onTransform((context) => {
      if (context.headers['x-replace'] !== undefined) context.body = { metadata: { of: 'another body' } };
    })${ROUTES};`);

  test('changes the body that the API reads', async () => {
    const changed = await fetch('/threads', posted({ metadata: { a: 1 } }));
    expect(await changed.json()).toMatchObject({ metadata: { a: 1, added: 'x' } });
    const replaced = await fetch('/threads', posted({}, { 'x-replace': '1' }));
    expect(await replaced.json()).toMatchObject({ metadata: { of: 'another body', added: 'x' } });
  });

  test('leaves a body of another type unchanged', async () => {
    const headers = { 'content-type': 'text/plain' };
    const made = await fetch('/threads', { method: 'POST', headers, body: '{"metadata":{"b":2}}' });
    expect(await made.json()).toMatchObject({ metadata: { b: 2 } });
  });
});

describe('an app with a prefix', () => {
  const fetch = serving(
    `export const app = new Elysia({ prefix: '/custom' }).get('/my-route', () => 'mine');`,
  );

  test('responds below it, and the API to everything else', async () => {
    expect(await (await fetch('/custom/my-route')).text()).toBe('mine');
    expect(await (await fetch('/ok')).json()).toEqual({ ok: true });
    expect(await (await fetch('/custom/other')).json()).toMatchObject({ error_code: 'NOT_FOUND' });
  });
});

describe('an app that is already compiled', () => {
  const fetch = serving(`export const app = new Elysia()${ROUTES}; app.compile(); void app.fetch;`);

  test('is mounted too', async () => {
    expect(await (await fetch('/custom/my-route')).json()).toEqual({ foo: 'bar' });
    expect(await (await fetch('/ok')).json()).toEqual({ ok: true });
  });
});

describe('an app with a plugin that loads later', () => {
  const fetch = serving(`export const app = new Elysia()
    .use(Bun.sleep(500).then(() => new Elysia().get('/custom/late', () => 'late')));`);

  test('is served with it from the start', async () => {
    expect(await (await fetch('/custom/late')).text()).toBe('late');
  });
});

describe('an app with a catch-all route', () => {
  const fetch = serving(`export const app = new Elysia().all('/*', () => 'everything');`);

  test('responds to everything but the probes', async () => {
    expect(await (await fetch('/info')).text()).toBe('everything');
    expect(await (await fetch('/livez')).text()).toBe('ok');
  });
});
