/** A run that ends its own process, again at every start: it fails in the end, where everybody sees it. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../support/listener.ts';
import { spawnCommand, spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { saying, writeWorkflows } from './killed-workflows.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-deadly-'));
const provider = scriptedProvider(saying);
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

const chat = (url: string, user_prompt: string, headers = {}) =>
  fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ user_prompt, thread_id: 't', conversation_flow: 'deadly' }),
  });

test('a run that kills its process three times is failed at the next start, and the service stays up', async () => {
  await writeWorkflows(folder);
  const env = providerEnv(provider.url);
  const first = await spawnService(folder, env);
  const heard = await listen(await chat(first.url, 'Die.', { accept: 'text/event-stream' }));
  expect(heard[0]).toMatchObject({ id: 1, event: 'run' });
  const { run_id } = heard[0]?.data ?? {};
  expect(await first.exited).toBe(null);

  for (const _ of ['second', 'third']) {
    // It may end before it listens.
    const child = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, env);
    expect(await child.exited).toBe(null);
  }

  const last = await spawnService(folder, env);
  const stream = await fetch(`${last.url}/api/v1/runs/${run_id}/stream`, {
    headers: { 'last-event-id': String(heard.at(-1)?.id) },
  });
  const events = [...heard, ...(await listen(stream))];
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  expect(events.slice(-2)).toMatchObject([
    {
      event: 'error',
      data: {
        error_code: 'INTERNAL_ERROR',
        message: 'The run was cut off 3 times by the end of the process and is not tried again',
      },
    },
    { event: 'end' },
  ]);
  const next = await chat(last.url, 'Live.');
  expect(next.status).toBe(200);
  // Nothing that was asked before is in the thread's memory.
  expect(provider.requests.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
    ['You are deadly', 'Live.'],
  ]);
  last.kill('SIGKILL');
  await last.exited;
}, 120_000);
