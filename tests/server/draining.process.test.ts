/** A closing service rejects new work, finishes the running turn, and reports that it is not ready. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openService, type Service } from '../../cli/service/open-service.ts';
import { serve } from '../../server/serve.ts';
import { loadSettings } from '../../settings/load.ts';
import { providerEnv } from '../support/service.ts';
import { echoing } from './support/calls.ts';
import { answerOf, expectRefused } from './support/refused.ts';
import { runningProvider } from './support/running.ts';
import { until } from './support/until.ts';

// The test service closes everything together; here the service and the server are closed separately.
const provider = runningProvider();
let folder: string;
let service: Service;
let server: ReturnType<typeof serve>;
let release: () => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-test-'));
  const { promise, resolve } = Promise.withResolvers<void>();
  release = resolve;
  provider.script = echoing({ answer: async () => promise.then(() => 'at last') });
  const env = { ...providerEnv(provider.url), SERVICE_TELEMETRY__LOG_LEVEL: 'silent', WEB_PORT: '0' };
  const loaded = loadSettings({ cwd: folder, env, flags: {} });
  service = await openService(loaded);
  server = serve(service.app, { ...loaded.settings.web_configuration, host: '127.0.0.1' });
});

afterEach(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

const get = (path: string) => fetch(new URL(path, server.url));

function chat() {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ user_prompt: 'hi', conversation_flow: 'classification-agent' });
  return answerOf(fetch(new URL('/api/v1/chat', server.url), { method: 'POST', headers, body }));
}

async function heldTurn() {
  const answer = chat();
  await until(() => provider.requests.length === 2);
  return { answer };
}

test('before it has started, it is alive and not ready', async () => {
  expect((await get('/livez')).status).toBe(200);
  const answer = await answerOf(get('/readyz'));
  expectRefused(answer, 503, 'SHUTTING_DOWN');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  await service.start('http://localhost');
  expect((await get('/readyz')).status).toBe(200);
  await service.close(0);
});

test('when it closes, new work is rejected immediately, the running turn is answered, and it is not ready', async () => {
  await service.start('http://localhost');
  const { answer } = await heldTurn();
  const closed = service.close(10);
  expectRefused(await answerOf(get('/readyz')), 503, 'SHUTTING_DOWN');
  expect((await get('/livez')).status).toBe(200);
  const refused = await chat();
  expectRefused(refused, 503, 'SHUTTING_DOWN');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  release();
  expect(await answer).toMatchObject({ status: 200, body: { outputs: [{}, { content: 'at last' }] } });
  await closed;
  expect(provider.requests).toHaveLength(2);
});

test('when it is closed, every route but /livez rejects requests, even if their body arrives later', async () => {
  await service.start('http://localhost');
  const { promise: rest, resolve: arrive } = Promise.withResolvers<void>();
  const bodyStarted = Promise.withResolvers<void>();
  const late = fetch(new URL('/api/v1/messages/m/feedback', server.url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield '{"rating"';
      bodyStarted.resolve();
      await rest;
      yield ': 5}';
    })() as unknown as ReadableStream,
  });
  await bodyStarted.promise;
  await service.close(0);
  arrive();
  expect((await get('/livez')).status).toBe(200);
  const answers = await Promise.all([answerOf(late), answerOf(get('/api/v1/threads')), chat()]);
  for (const answer of answers) {
    expectRefused(answer, 503, 'SHUTTING_DOWN');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
});

test('a turn that outlasts the drain gets SHUTTING_DOWN, and its model call is aborted', async () => {
  await service.start('http://localhost');
  const { answer } = await heldTurn();
  await service.close(0);
  const refused = await answer;
  expect(expectRefused(refused, 503, 'SHUTTING_DOWN').detail).toMatch(/[0-9a-f]{8}-[0-9a-f-]{27}/);
  expect(refused.headers.has('retry-after')).toBe(true);
  await until(() => provider.aborted === 1, 1_000);
});

test('a dry run that outlasts the drain gets SHUTTING_DOWN, and its model call is aborted', async () => {
  await service.start('http://localhost');
  const { answer } = await heldTurn();
  release();
  await answer;
  provider.requests.length = 0;
  provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
  const dryRun = () =>
    answerOf(
      fetch(new URL('/api/v1/prompts/dry-run/v1/classification-agent.support_responder.jinja', server.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"content": "x", "turns": 1}',
      }),
    );
  const pending = dryRun();
  await until(() => provider.requests.length === 2);
  await service.close(0);
  expectRefused(await pending, 503, 'SHUTTING_DOWN');
  expectRefused(await dryRun(), 503, 'SHUTTING_DOWN');
  await until(() => provider.aborted === 1, 1_000);
});
