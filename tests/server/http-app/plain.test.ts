/** An app that only has `fetch(request)`: its 404 passes the request on to the API. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestService } from '../../support/service.ts';
import { posted, servedApp } from './served-app.ts';

let service: TestService;
beforeAll(async () => {
  service = await servedApp(`export const app = Promise.resolve({
    async fetch(request: Request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === '/custom/my-route') return Response.json({ foo: 'bar' });
      if (pathname === '/custom/missing') return Response.json({ of: 'the app' }, { status: 404 });
      if (pathname === '/custom/nothing') return undefined;
      if (pathname === '/custom/error') throw new Error('secret canary');
      if (searchParams.has('interrupt')) return Response.json({ status: 'interrupted' });
      if (searchParams.has('read')) await request.text();
      return new Response('not found', { status: 404 });
    },
  });`);
});
afterAll(() => service.close());

test('it responds to its own routes, and can respond instead of a built-in one', async () => {
  expect(await (await service.fetch('/custom/my-route')).json()).toEqual({ foo: 'bar' });
  expect(await (await service.fetch('/info?interrupt')).json()).toEqual({ status: 'interrupted' });
});

test('requests to which it responds with 404 reach the API with their body, whether the app has read it or not', async () => {
  expect(await (await service.fetch('/info')).json()).toMatchObject({ context: 'js' });
  for (const path of ['/threads', '/threads?read']) {
    const metadata = { text: 'x'.repeat(500_000) };
    expect(await (await service.fetch(path, posted({ metadata }))).json()).toMatchObject({ metadata });
  }
});

test("if the API does not have the path, the app's own 404 is kept, and the API responds if the app does not", async () => {
  const missing = await service.fetch('/custom/missing');
  expect([missing.status, await missing.json()]).toEqual([404, { of: 'the app' }]);
  const nothing = await service.fetch('/custom/nothing');
  expect(await nothing.json()).toMatchObject({ error_code: 'NOT_FOUND' });
});

test('an error that it throws is reported without its text', async () => {
  const failed = await service.fetch('/custom/error');
  expect(failed.status).toBe(500);
  expect(await failed.json()).toMatchObject({ error_code: 'INTERNAL_ERROR' });
});
