/** SIGTERM during runs: new work is rejected immediately, accepted work is answered, and the exit code is 0. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storedIn } from '../server/support/stored.ts';
import { until } from '../server/support/until.ts';
import { listen } from '../support/listener.ts';
import { spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { textOf, writeWorkflows } from './killed-workflows.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-sigterm-'));
const released = Promise.withResolvers<void>();
const provider = scriptedProvider(async (request) => {
  await released.promise;
  return textOf(request);
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

test('requests accepted before SIGTERM are answered in every form, and later ones are rejected immediately', async () => {
  await writeWorkflows(folder);
  const service = await spawnService(folder, providerEnv(provider.url));
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const chat = (thread_id: string, headers?: Record<string, string>) =>
    post('/chat', { user_prompt: 'Live.', thread_id, conversation_flow: 'deadly' }, headers);

  const answer = chat('json');
  const stream = listen(await chat('stream', { accept: 'text/event-stream' }));
  const { run_id } = (await (await chat('async', { prefer: 'respond-async' })).json()) as { run_id: string };
  const followed = listen(await fetch(`${service.url}/api/v1/runs/${run_id}/stream`));
  // The second turn of a thread, which has not started.
  const queued = listen(await chat('stream', { accept: 'text/event-stream' }));
  await until(() => provider.requests.length === 3);

  service.kill('SIGTERM');
  await until(async () => (await fetch(`${service.url}/readyz`)).status === 503);
  for (const refuse of [() => chat('new'), () => post('/threads/json/resume', { value: 1 })]) {
    const began = performance.now();
    const refused = await refuse();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused.json()).toMatchObject({ error_code: 'SHUTTING_DOWN' });
  }

  released.resolve();
  expect((await answer).status).toBe(200);
  for (const events of await Promise.all([stream, followed, queued]))
    expect(events.slice(-2)).toMatchObject([{ event: 'response' }, { event: 'end' }]);
  expect(await service.exited).toBe(0);
  expect(provider.requests).toHaveLength(4);
}, 120_000);

test('chats that arrive together with SIGTERM are answered, or rejected and never run', async () => {
  const own = mkdtempSync(join(tmpdir(), 'skein-sigterm-'));
  provider.script = textOf;
  let answered = 0;
  try {
    await writeWorkflows(own);
    for (let round = 0; round < 5; round++) {
      const service = await spawnService(own, providerEnv(provider.url));
      expect(service.output()).not.toContain('recovered');
      const chats = Array.from({ length: 16 }, (_, index) => {
        if (index === 2 * round) service.kill('SIGTERM');
        return outcome(`${service.url}/api/v1/chat`);
      });
      for (const chat of await Promise.all(chats)) {
        expect(['200', '503 SHUTTING_DOWN', 'not connected']).toContain(chat);
        if (chat === '200') answered++;
      }
      expect(await service.exited).toBe(0);
    }
    expect((await storedIn(own)).runs.map(({ status }) => status)).toEqual(Array(answered).fill('succeeded'));
  } finally {
    rmSync(own, { recursive: true });
  }
}, 120_000);

async function outcome(url: string): Promise<string> {
  const body = JSON.stringify({ user_prompt: 'Live.', conversation_flow: 'deadly' });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
  if (!response) return 'not connected';
  const { error_code } = (await response.json()) as { error_code?: string };
  return [response.status, error_code ?? []].flat().join(' ');
}
