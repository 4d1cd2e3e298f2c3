/** A state file that cannot be written because it is locked, read-only or broken: clean errors, and no restart is needed. */
import { Database } from 'bun:sqlite';
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { smallDisk } from '../support/small-disk.ts';
import { askState } from '../support/stored-state.ts';
import { ON_POSTGRES } from '../support/test-state.ts';
import { agentOf, CHAIN, saying, textOf, writeWorkflows } from './killed-workflows.ts';

setDefaultTimeout(120_000);
afterEach(() => {
  provider.script = saying;
});

const REFUSE_WRITES = join(import.meta.dir, '../support/refuse-writes.ts');
const provider = scriptedProvider(saying);
const folders: string[] = [];
const disk = smallDisk(6);

const services: ServiceProcess[] = [];

afterAll(async () => {
  for (const service of services) {
    service.kill('SIGKILL');
    await service.exited;
  }
  await provider.close();
  disk?.remove();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

async function started(...args: Parameters<typeof spawnService>): Promise<ServiceProcess> {
  const service = await spawnService(...args);
  services.push(service);
  return service;
}

async function projectFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-state-file-'));
  folders.push(folder);
  await writeWorkflows(folder);
  return folder;
}

async function turn({ url }: ServiceProcess, user_prompt: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': user_prompt, ...headers },
    body: JSON.stringify({ user_prompt, thread_id: 't', conversation_flow: 'chain' }),
  });
  const retryAfter = Number(response.headers.get('retry-after'));
  return { status: response.status, retryAfter, body: (await response.json()) as Record<string, unknown> };
}

const statusOf = async ({ url }: ServiceProcess, path: string) => (await fetch(`${url}${path}`)).status;

/** Each question occurs once, each of its agents was called once, and the file is intact. */
async function expectTurns(folder: string, service: ServiceProcess, questions: string[]): Promise<void> {
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  const runs = await askState<{ question: string; status: string }>(
    folder,
    "SELECT request ->> 'userPrompt' AS question, status FROM runs ORDER BY rowid",
  );
  expect(runs).toEqual(questions.map((question) => ({ question, status: 'succeeded' })));
  expect(await askState<object>(folder, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
}

const UNAVAILABLE = {
  status: 503,
  retryAfter: 1,
  body: { status: 'error', error_code: 'STATE_UNAVAILABLE' },
};

describe.skipIf(ON_POSTGRES)('a state file', () => {
  test('that another program locks for a second only delays writes', async () => {
    const folder = await projectFolder();
    const service = await started(folder, providerEnv(provider.url));
    expect((await turn(service, 'first')).status).toBe(200);
    const outside = new Database(join(folder, '.tmp', 'skein.db'));
    outside.run('BEGIN IMMEDIATE');
    const waiting = turn(service, 'second');
    await Bun.sleep(1_000);
    expect(await statusOf(service, '/api/v1/health')).toBe(200);
    expect(Bun.peek.status(waiting)).toBe('pending');
    outside.run('COMMIT');
    outside.close();
    expect((await waiting).status).toBe(200);
    await expectTurns(folder, service, ['first', 'second']);
  });

  test('that stays locked rejects turns with an error, and accepts them once it is free', async () => {
    const folder = await projectFolder();
    const service = await started(folder, providerEnv(provider.url));
    expect((await turn(service, 'first')).status).toBe(200);
    const outside = new Database(join(folder, '.tmp', 'skein.db'));
    outside.run('BEGIN IMMEDIATE');
    const calls = provider.requests.length;
    const refused = await turn(service, 'refused');
    expect(refused).toMatchObject(UNAVAILABLE);
    expect([await statusOf(service, '/readyz'), await statusOf(service, '/livez')]).toEqual([503, 200]);
    expect(provider.requests).toHaveLength(calls);
    outside.run('COMMIT');
    outside.close();
    expect((await turn(service, 'second')).status).toBe(200);
    await expectTurns(folder, service, ['first', 'second']);
  });

  test.each(['SQLITE_READONLY', 'SQLITE_IOERR'])('that answers %s', async (code) => {
    const folder = await projectFolder();
    const service = await started(folder, providerEnv(provider.url), { preload: REFUSE_WRITES });
    expect((await turn(service, 'first')).status).toBe(200);
    const before = provider.requests.length;
    writeFileSync(join(folder, 'refuse-writes'), code);
    const refused = await turn(service, 'refused');
    expect(refused).toMatchObject(UNAVAILABLE);
    expect([await statusOf(service, '/readyz'), await statusOf(service, '/api/v1/health')]).toEqual([
      503, 503,
    ]);
    expect(provider.requests).toHaveLength(before);
    expect(await statusOf(service, '/livez')).toBe(200);
    expect(await statusOf(service, '/api/v1/threads/t/messages')).toBe(200);
    rmSync(join(folder, 'refuse-writes'));
    expect(await statusOf(service, '/readyz')).toBe(200);
    expect(await statusOf(service, '/api/v1/health')).toBe(200);
    expect((await turn(service, 'second')).status).toBe(200);
    await expectTurns(folder, service, ['first', 'second']);
  });

  test('that rejects writes during a run lets the run continue afterwards without repeating finished agents', async () => {
    const folder = await projectFolder();
    const service = await started(folder, providerEnv(provider.url), { preload: REFUSE_WRITES });
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const before = provider.requests.length;
    provider.script = async (request) => {
      if (agentOf(request) === 'two') {
        reached.resolve();
        await held.promise;
      }
      return textOf(request);
    };
    const accepted = await turn(service, 'first', { prefer: 'respond-async' });
    await reached.promise;
    writeFileSync(join(folder, 'refuse-writes'), 'SQLITE_READONLY');
    held.resolve();
    await until(() => provider.requests.length > before + 1, 5_000).catch(() => {});
    await Bun.sleep(1_000);
    rmSync(join(folder, 'refuse-writes'));
    const path = `/api/v1/runs/${accepted.body.run_id}`;
    const ended = async () =>
      ((await (await fetch(`${service.url}${path}`)).json()) as { status: string }).status;
    await until(async () => (await ended()) === 'succeeded', 20_000);
    const agents = provider.requests.slice(before).map(agentOf);
    expect(agents.filter((agent) => agent === 'one')).toHaveLength(1);
    expect(CHAIN.filter((agent) => !agents.includes(agent))).toEqual([]);
    await expectTurns(folder, service, ['first']);
  });

  test.skipIf(disk === undefined)(
    'on a read-only disk stops the start, and is used when the disk is writable',
    async () => {
      const folder = await projectFolder();
      const env = {
        ...WITHOUT_SAMPLES,
        ...providerEnv(provider.url),
        SERVICE_CHAT_HISTORY__DATABASE_PATH: join(disk?.folder ?? '', 'skein.db'),
      };
      const first = await started(folder, env);
      expect((await turn(first, 'first')).status).toBe(200);
      first.kill('SIGKILL');
      await first.exited;
      disk?.setWritable(false);
      const refused = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, env);
      await Array.fromAsync(refused.lines);
      expect(await refused.exited).toBe(2);
      await refused.errors;
      expect(refused.output()).toContain('chat_history.database_path');
      disk?.setWritable(true);
      const again = await started(folder, env);
      expect((await turn(again, 'second')).status).toBe(200);
      again.kill('SIGTERM');
      expect(await again.exited).toBe(0);
    },
  );
});
