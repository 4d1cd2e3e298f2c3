/** A full disk: requests are rejected cleanly, nothing acknowledged is lost, and the service recovers by itself. */
import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { OWN_POSTGRES, privatePostgres } from '../support/private-postgres.ts';
import { spawnService } from '../support/process.ts';
import { writeGraphs } from '../support/service.ts';
import { smallDisk } from '../support/small-disk.ts';

setDefaultTimeout(120_000);

// Its node continues once the file exists, and writes more than fits on the disk.
const WAITS = `
import { existsSync } from 'node:fs';
export default new StateGraph(Annotation.Root({ n: Annotation(), file: Annotation(), text: Annotation() }))
  .addNode('first', () => ({ n: 1 }))
  .addNode('wait', async ({ n, file }) => {
    while (!existsSync(file)) await Bun.sleep(10);
    return { n: n + 1, text: 'word '.repeat(50_000) };
  })
  .addEdge(START, 'first').addEdge('first', 'wait').compile();`;

const NOBODY = 65_534;
const disk = smallDisk(6);
const databaseDisk = OWN_POSTGRES === undefined ? undefined : smallDisk(32, NOBODY);
const folder = mkdtempSync(join(tmpdir(), 'skein-full-'));
afterAll(() => {
  disk?.remove();
  databaseDisk?.remove();
  rmSync(folder, { recursive: true });
});

const FULL = { error_code: 'STORAGE_FULL', status: 'error' };

function callsTo(url: string) {
  const call = async (method: string, path: string, body?: object | string, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(typeof body === 'object' && { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: Number(response.headers.get('retry-after')),
      body: text.startsWith('{') ? JSON.parse(text) : text,
    };
  };
  return {
    call,
    ask: (thread_id: string, user_prompt: string) =>
      call('POST', '/api/v1/chat', { conversation_flow: 'classification-agent', thread_id, user_prompt }),
    ready: async () => (await call('GET', '/readyz')).status === 200,
  };
}

async function startedRun({ call }: ReturnType<typeof callsTo>, file: string): Promise<string> {
  const chat = { conversation_flow: 'waits', thread_id: 'waits', input: { n: 0, file } };
  const { status, body } = await call('POST', '/api/v1/chat', chat, { prefer: 'respond-async' });
  expect(status).toBe(202);
  const path = `/api/v1/runs/${body.run_id}`;
  await until(async () => (await call('GET', path)).body.agents.length > 1);
  return path;
}

async function promptsOf({ call }: ReturnType<typeof callsTo>, thread: string): Promise<string[]> {
  const { body } = await call('GET', `/api/v1/threads/${thread}/messages?limit=100`);
  return body.messages
    .filter(({ role }: { role: string }) => role === 'user')
    .map(({ content }: { content: string }) => content);
}

describe.skipIf(disk === undefined)('the disk of a state file', () => {
  test('writes are rejected, reads are not, and everything continues once there is space', async () => {
    const small = disk?.folder ?? '';
    await writeGraphs(folder, { waits: WAITS });
    writeFileSync(join(folder, 'config.yml'), '');
    const service = await spawnService(folder, {
      SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'sqlite',
      SERVICE_CHAT_HISTORY__DATABASE_PATH: join(small, 'skein.db'),
      SERVICE_PROMPTS__PATH: join(small, 'prompts'),
      SERVICE_KNOWLEDGE_BASE__DOCUMENTS_PATH: join(small, 'documents'),
    });
    const calls = callsTo(service.url);
    const { call, ask, ready } = calls;
    const acknowledged: string[] = [];
    const send = async (n: number) => {
      const { status } = await ask('t', `Question ${n}`);
      if (status === 200) acknowledged.push(`Question ${n}`);
      return status;
    };
    for (let n = 0; n < 5; n++) expect(await send(n)).toBe(200);
    expect((await call('PUT', '/api/v1/knowledge/documents/a.md', '# A\n\nText.\n')).status).toBe(201);
    const update = (content: string) => call('POST', '/api/v1/prompts/update/v1/notes.txt', { content });
    expect((await update('first')).status).toBe(200);
    const release = join(folder, 'release');
    const run = await startedRun(calls, release);

    disk?.fill();
    // The WAL may have space that it reuses.
    let n = 5;
    for (let status = 200; status === 200; n++) status = await send(n);
    for (const refused of [
      await ask('t', 'No'),
      await ask('another', 'No'),
      await update('x'.repeat(20_000)),
      await call('PUT', '/api/v1/knowledge/documents/b.md', 'word '.repeat(20_000)),
      await call('GET', '/readyz'),
    ]) {
      expect(refused).toMatchObject({ status: 503, body: FULL });
      expect(refused.retryAfter).toBeGreaterThan(0);
    }
    expect((await call('GET', '/livez')).status).toBe(200);
    const health = await call('GET', '/api/v1/health');
    expect(health).toMatchObject({
      status: 503,
      body: { components: { state: { reason: 'STORAGE_FULL' } } },
    });
    expect(await promptsOf(calls, 't')).toEqual(acknowledged);
    expect((await call('GET', '/api/v1/prompts/view/v1/notes.txt')).body).toBe('first');
    writeFileSync(release, '');
    await Bun.sleep(1_000);
    expect((await call('GET', run)).body.status).not.toBe('failed');

    disk?.empty();
    await until(ready, 5_000);
    expect((await call('GET', '/api/v1/health')).status).toBe(200);
    await until(async () => (await call('GET', run)).body.status === 'succeeded', 10_000);
    expect(await send(n)).toBe(200);
    expect((await update('second')).status).toBe(200);
    expect((await call('PUT', '/api/v1/knowledge/documents/b.md', '# B\n\nText.\n')).status).toBe(201);
    const prompts = await promptsOf(calls, 't');
    expect(prompts.filter((prompt) => acknowledged.includes(prompt))).toEqual(acknowledged);
    // Nothing is partially written.
    expect(readdirSync(join(small, 'documents')).toSorted()).toEqual(['a.md', 'b.md']);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    const db = new Database(join(small, 'skein.db'), { readonly: true });
    expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    db.close();
  });
});

describe.skipIf(databaseDisk === undefined)('the volume of PostgreSQL', () => {
  test('a turn is rejected, and the service continues by itself once there is space', async () => {
    const server = await privatePostgres();
    await server.start();
    try {
      await server.run(`CREATE TABLESPACE small LOCATION '${databaseDisk?.folder}'`);
      await server.run('CREATE DATABASE full_one TABLESPACE small');
      const service = await spawnService(folder, {
        SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
        SERVICE_CHAT_HISTORY__CONNECTION_STRING: server.url.replace(/postgres$/, 'full_one'),
        SERVICE_CLUSTER__LEASE_SECONDS: '1',
      });
      const calls = callsTo(service.url);
      const acknowledged: string[] = [];
      const send = async (n: number) => {
        const answer = await calls.ask('t', `Question ${n} ${'word '.repeat(2_000)}`);
        if (answer.status === 200) acknowledged.push(`Question ${n}`);
        return answer;
      };
      let n = 0;
      for (; n < 3; n++) expect((await send(n)).status).toBe(200);
      databaseDisk?.fill();
      let answer = await send(n++);
      while (answer.status === 200) answer = await send(n++);
      expect(answer).toMatchObject({ status: 503, body: FULL });
      expect(answer.retryAfter).toBeGreaterThan(0);
      expect(await calls.call('GET', '/readyz')).toMatchObject({ status: 503, body: FULL });
      databaseDisk?.empty();
      await until(calls.ready, 10_000);
      await until(async () => (await send(n++)).status === 200, 20_000);
      const prompts = (await promptsOf(calls, 't')).map((prompt) => prompt.split(' ', 2).join(' '));
      expect(prompts.filter((prompt) => acknowledged.includes(prompt))).toEqual(acknowledged);
      service.kill('SIGTERM');
      await service.exited;
    } finally {
      await server.remove();
    }
  });
});
