/** A service with a base path: all routes are below it, and none outside of it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { classifying, scriptedProvider } from '../support/provider.ts';
import { providerEnv, type TestService, testService } from '../support/service.ts';
import { posted, servedApp } from './http-app/served-app.ts';
import { answerOf, expectRefused } from './support/refused.ts';
import { until } from './support/until.ts';

const BASE = '/tools/skein';
const CONFIG = `web_configuration: {base_path: ${BASE}}`;
const provider = scriptedProvider();
let service: TestService;

beforeAll(async () => {
  service = await testService({ config: CONFIG, env: providerEnv(provider.url) });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const origin = () => new URL(service.url).origin;
/** Sends a request to a path outside of the base path. */
const at = (path: string, init: RequestInit = {}) => fetch(origin() + path, { redirect: 'manual', ...init });
const QUESTION = { user_prompt: 'It broke.', conversation_flow: 'classification-agent' };

describe('outside of the base path', () => {
  test.each(['/', '/livez', '/studio', '/docs', '/api/v1/health', '/tools', '/tools/skeins', '/threads'])(
    '%s is not found, in the format of all errors',
    async (path) => {
      const answer = await answerOf(at(path));
      expectRefused(answer, 404, 'NOT_FOUND');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    },
  );
});

describe('below the base path', () => {
  test.each(['', '/', '?a=b'])("'%s' redirects to the studio", async (rest) => {
    const { status, headers } = await at(BASE + rest);
    expect([status, headers.get('location')]).toEqual([302, `${BASE}/studio`]);
  });

  test.each(['/livez', '/readyz', '/metrics', '/api/v1/health', '/api/v1/workflows', '/info'])(
    '%s is served',
    async (path) => {
      expect((await at(BASE + path)).status).toBe(200);
      expect((await at(BASE + path, { method: 'HEAD' })).status).toBe(200);
    },
  );

  test('an unknown path is not found, and a wrong method is rejected', async () => {
    expectRefused(await answerOf(at(`${BASE}/nowhere`)), 404, 'NOT_FOUND');
    expectRefused(await answerOf(at(`${BASE}/api/v1/chat`)), 405, 'METHOD_NOT_ALLOWED');
  });

  test('the API reference and its document contain the base path', async () => {
    const document = (await (await at(`${BASE}/openapi.json`)).json()) as { servers: unknown; paths: object };
    expect(document.servers).toEqual([{ url: BASE }]);
    expect(Object.keys(document.paths)).toContain('/api/v1/chat');
    const page = await (await at(`${BASE}/docs`)).text();
    expect(page).toContain(`<a href="${BASE}/openapi.json">`);
    expect(page).toContain(`<code>${BASE}/api/v1/chat</code>`);
  });

  test('a workflow can be called, and its documentation has the base path', async () => {
    const { workflows } = (await (await at(`${BASE}/api/v1/workflows`)).json()) as {
      workflows: { test_command: string; documentation: string }[];
    };
    expect(workflows[0]?.documentation).toBe(`${BASE}/docs`);
    expect(workflows[0]?.test_command).toContain(` ${service.url}/api/v1/chat `);
  });

  test('the Location of an accepted run leads to the run', async () => {
    const accepted = await at(`${BASE}/api/v1/chat`, posted(QUESTION, { prefer: 'respond-async' }));
    const location = accepted.headers.get('location') ?? '';
    expect(accepted.status).toBe(202);
    expect(location).toStartWith(`${BASE}/api/v1/runs/`);
    await until(async () => {
      const { status } = (await (await at(location)).json()) as { status: string };
      return status === 'succeeded';
    }, 20_000);
  });

  test('a client that disconnects cancels its turn', async () => {
    const reached = Promise.withResolvers<void>();
    provider.script = classifying(() => {
      reached.resolve();
      return new Promise<string>(() => {});
    });
    const { aborted } = provider;
    const leaving = new AbortController();
    const turn = at(`${BASE}/api/v1/chat`, { ...posted(QUESTION), signal: leaving.signal });
    await reached.promise;
    leaving.abort();
    await turn.catch(() => {});
    await until(() => provider.aborted > aborted);
    provider.script = classifying();
  });

  test("LangGraph's client works with threads, runs and streams", async () => {
    const client = new Client({ apiUrl: service.url });
    const { thread_id } = await client.threads.create();
    const input = { messages: [{ role: 'user', content: 'It broke.' }] };
    const events: string[] = [];
    let joined = '';
    const stream = client.runs.stream(thread_id, 'classification-agent', {
      input,
      streamMode: ['values'],
      onRunCreated: ({ run_id }) => {
        joined = run_id;
      },
    });
    for await (const { event } of stream) events.push(event);
    expect(events).toContain('values');
    expect(await client.runs.get(thread_id, joined)).toMatchObject({ status: 'success' });
    // The client puts its own base URL before the path.
    const waited = await at(
      `${BASE}/threads/${thread_id}/runs/stream`,
      posted({ assistant_id: 'classification-agent', input }),
    );
    expect(waited.headers.get('location')).toStartWith('/threads/');
    await waited.text();
  });

  test("the event-streaming protocol's WebSocket opens below the base path, and not outside of it", async () => {
    const opened = (base: string) => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const socket = new WebSocket(`${origin().replace('http', 'ws')}${base}/threads/t/stream/events`);
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
      return promise.finally(() => socket.close());
    };
    expect(await opened(BASE)).toBe(true);
    expect(await opened('')).toBe(false);
  });
});

test("redirects and cookies of a project's own app get the base path too", async () => {
  const app = await servedApp(
    `import { Hono } from 'hono';
     export const app = new Hono()
       .get('/away', (c) => c.redirect('https://example.org/x'))
       .get('/in', (c) => {
         c.header('set-cookie', 'a=1; Path=/; HttpOnly', { append: true });
         c.header('set-cookie', 'b=2', { append: true });
         return c.redirect('/home');
       });`,
    { config: CONFIG },
  );
  try {
    const come = await app.fetch('/in', { redirect: 'manual' });
    expect(come.headers.get('location')).toBe(`${BASE}/home`);
    expect(come.headers.getSetCookie()).toEqual([`a=1; Path=${BASE}/; HttpOnly`, 'b=2']);
    const away = await app.fetch('/away', { redirect: 'manual' });
    expect(away.headers.get('location')).toBe('https://example.org/x');
  } finally {
    await app.close();
  }
});
