/** Damaged rows of one thread: that thread fails with clean errors, and nothing else is affected. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { askState } from '../support/stored-state.ts';
import { ON_POSTGRES } from '../support/test-state.ts';
import { agentOf, saying, textOf, writeWorkflows } from './killed-workflows.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-corrupt-'));
const provider = scriptedProvider(saying);
let service: ServiceProcess;

beforeAll(async () => {
  await writeWorkflows(folder);
  service = await spawnService(folder, providerEnv(provider.url));
}, 60_000);
afterAll(async () => {
  service.kill('SIGKILL');
  await service.exited;
  await provider.close();
  rmSync(folder, { recursive: true });
});

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  const answer: any = text.startsWith('{') ? JSON.parse(text) : { text };
  return { status: response.status, body: answer };
}

const turn = (thread_id: string, headers?: Record<string, string>) =>
  call('POST', '/api/v1/chat', { user_prompt: 'Hello', thread_id, conversation_flow: 'chain' }, headers);

const CHECKPOINTS: Record<string, string> = {
  bodies: `UPDATE checkpoints SET body = '{"v":' WHERE thread = KEY`,
  versions: `UPDATE checkpoints SET versions = '[' WHERE thread = KEY`,
  values: `UPDATE checkpoint_values SET value = '{"x' WHERE thread = KEY`,
};
const EVENTS = `UPDATE events SET body = '[{"kind":' WHERE thread = CAST(KEY AS INTEGER)`;

/** Requests that read all threads of a caller. */
const LISTS = ['/api/v1/threads', '/api/v1/runs', '/api/v1/statistics', '/api/v1/usage', '/api/v1/health'];

async function damage(thread: string, statement: string): Promise<void> {
  const [row] = await askState<{ key: number }>(
    folder,
    'SELECT key FROM threads WHERE thread_id = $1',
    thread,
  );
  await askState(folder, statement.replace('KEY', `'${String(row?.key).padStart(12, '0')}'`));
}

async function expectOthersWell(other: string): Promise<void> {
  for (const path of LISTS) expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
  const { status, body } = await call('GET', `/api/v1/threads/${other}/messages`);
  expect([status, body.messages.length]).toEqual([200, 2]);
  expect(await turn(other)).toMatchObject({ status: 200 });
}

describe.skipIf(ON_POSTGRES)('a thread whose rows are damaged', () => {
  test.each(Object.entries(CHECKPOINTS))(
    '(%s of checkpoints) fails alone',
    async (name, statement) => {
      const other = `beside-${name}`;
      for (const thread of [name, other]) expect((await turn(thread)).status).toBe(200);
      await damage(name, statement);
      const calls = provider.requests.length;
      const next = await turn(name);
      expect(next).toMatchObject({ status: 500, body: { status: 'error', error_code: 'INTERNAL_ERROR' } });
      expect(provider.requests).toHaveLength(calls);
      const messages = await call('GET', `/api/v1/threads/${name}/messages`);
      expect(messages.body.messages).toHaveLength(2);
      await expectOthersWell(other);
      expect((await call('DELETE', `/api/v1/threads/${name}`)).status).toBe(204);
      expect((await turn(name)).status).toBe(200);
    },
    60_000,
  );

  test('(events) shows its other data, and continues', async () => {
    for (const thread of ['events', 'beside-events']) expect((await turn(thread)).status).toBe(200);
    const [{ run_id }] = (await call('GET', '/api/v1/threads/events/runs')).body.runs;
    await damage('events', EVENTS);
    expect(await call('GET', `/api/v1/runs/${run_id}/stream`)).toMatchObject({ status: 200 });
    expect((await call('GET', `/api/v1/runs/${run_id}`)).body.status).toBe('succeeded');
    expect((await turn('events')).status).toBe(200);
    await expectOthersWell('beside-events');
  }, 60_000);

  test('(request of a run) is listed without its prompt beside the other runs', async () => {
    for (const thread of ['request', 'beside-request']) expect((await turn(thread)).status).toBe(200);
    await damage('request', `UPDATE runs SET request = '{"userPrompt":' WHERE thread = CAST(KEY AS INTEGER)`);
    await expectOthersWell('beside-request');
    const [run] = (await call('GET', '/api/v1/threads/request/runs')).body.runs;
    expect(run).toMatchObject({ user_prompt: '', error: { message: 'The stored run cannot be read' } });
    expect((await turn('request')).status).toBe(200);
  }, 60_000);

  test('while its run is unfinished does not keep the service or other runs from continuing', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    provider.script = async (request) => {
      if (agentOf(request) === 'two') await held;
      return textOf(request);
    };
    const before = provider.requests.length;
    const threads = [...Object.keys(CHECKPOINTS), 'events', 'whole'].map((name) => `unfinished-${name}`);
    const runs = await Promise.all(
      threads.map(async (thread) => (await turn(thread, { prefer: 'respond-async' })).body.run_id),
    );
    await until(() => provider.requests.length === before + 2 * threads.length, 20_000);
    service.kill('SIGKILL');
    await service.exited;
    for (const [name, statement] of Object.entries({ ...CHECKPOINTS, events: EVENTS }))
      await damage(`unfinished-${name}`, statement);
    release();
    service = await spawnService(folder, providerEnv(provider.url));
    const ends = await Promise.all(runs.map(endOf));
    expect(ends).toEqual([...Object.keys(CHECKPOINTS).map(() => 'failed'), 'succeeded', 'succeeded']);
    await expectOthersWell('unfinished-whole');
  }, 60_000);
});

async function endOf(runId: string): Promise<string> {
  let run = await call('GET', `/api/v1/runs/${runId}`);
  while (run.body.finished_at === null) {
    await Bun.sleep(20);
    run = await call('GET', `/api/v1/runs/${runId}`);
  }
  return run.body.status;
}
