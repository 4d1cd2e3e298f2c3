/** A service that closes: it refuses what is new, lets the running turn end, and says that it is not ready. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openService } from '../../cli/open-service.ts';
import { serve } from '../../server/serve.ts';
import { loadSettings } from '../../settings/load.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { echoing } from './calls.ts';
import { answerOf, expectRefused } from './refused.ts';
import { until } from './until.ts';

/** The parts of the test service, which cannot be closed by halves. */
async function closable() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-test-'));
  const gate = Promise.withResolvers<void>();
  const provider = scriptedProvider(echoing({ answer: async () => gate.promise.then(() => 'at last') }));
  const env = { ...providerEnv(provider.url), SERVICE_TELEMETRY__LOG_LEVEL: 'silent', WEB_PORT: '0' };
  const loaded = loadSettings({ cwd: folder, env, flags: {} });
  const service = await openService(loaded);
  const server = serve(service.app, { ...loaded.settings.web_configuration, host: '127.0.0.1' });
  const ask = (path: string, init?: RequestInit) => answerOf(fetch(new URL(path, server.url), init));
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ user_prompt: 'hi', conversation_flow: 'classification-agent' });
  return {
    service,
    provider,
    server,
    release: gate.resolve,
    ask,
    chat: () => ask('/api/v1/chat', { method: 'POST', headers, body }),
    async remove() {
      await server.stop(true);
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

test('before it has started it is alive and not ready', async () => {
  const { service, server, ask, remove } = await closable();
  expect((await fetch(new URL('/livez', server.url))).status).toBe(200);
  const answer = await ask('/readyz');
  expectRefused(answer, 503, 'SHUTTING_DOWN');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  await service.start('http://localhost');
  expect((await fetch(new URL('/readyz', server.url))).status).toBe(200);
  await service.close(0);
  await remove();
});

test('once it closes, new work is refused at once, the running turn is answered, and it is no longer ready', async () => {
  const { service, server, provider, release, ask, chat, remove } = await closable();
  await service.start('http://localhost');
  const running = chat();
  await until(() => provider.requests.length === 2);
  const closed = service.close(10);
  expectRefused(await ask('/readyz'), 503, 'SHUTTING_DOWN');
  expect((await fetch(new URL('/livez', server.url))).status).toBe(200);
  const refused = await chat();
  expectRefused(refused, 503, 'SHUTTING_DOWN');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  release();
  expect(await running).toMatchObject({ status: 200, body: { outputs: [{}, { content: 'at last' }] } });
  await closed;
  expect(provider.requests).toHaveLength(2);
  await remove();
});

test('a turn that outlasts the drain is answered SHUTTING_DOWN, and its model call is aborted', async () => {
  const { service, provider, chat, remove } = await closable();
  await service.start('http://localhost');
  const running = chat();
  await until(() => provider.requests.length === 2);
  await service.close(0);
  const answer = await running;
  expect(expectRefused(answer, 503, 'SHUTTING_DOWN').detail).toMatch(/[0-9a-f]{8}-[0-9a-f-]{27}/);
  expect(answer.headers.has('retry-after')).toBe(true);
  await until(() => provider.aborted === 1, 1_000);
  await remove();
});
