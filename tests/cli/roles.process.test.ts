/** Servers of one database with different roles: a front runs nothing, a worker serves nothing but health and metrics. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { until } from '../server/support/until.ts';
import { freshDatabase, POSTGRES, type TestDatabase } from '../support/postgres-database.ts';
import { spawnService } from '../support/process.ts';
import { type TestService, testService } from '../support/service.ts';

setDefaultTimeout(60_000);

const JSON_TYPE = { 'content-type': 'application/json' };
const RESPONDER = 'classification-agent.support_responder.jinja';

describe.skipIf(!POSTGRES)('with a front and a worker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-roles-'));
  let database: TestDatabase;
  let front: TestService;
  let worker: TestService | undefined;
  let sql: SQL;

  const settings = (role: string) => ({
    SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
    SERVICE_CHAT_HISTORY__CONNECTION_STRING: database.url,
    SERVICE_CHAT_HISTORY__POOL_SIZE: '3',
    SERVICE_CLUSTER__LEASE_SECONDS: '1',
    SERVICE_CLUSTER__ROLE: role,
  });
  const start = (role: string) =>
    testService({ folder: join(folder, role), env: settings(role), config: 'limits: {queue_seconds: 30}' });

  beforeAll(async () => {
    database = await freshDatabase();
    sql = new SQL({ url: database.url, max: 1 });
    await Bun.write(join(folder, 'front/documents/a.md'), '# A\n\nSomething to find.');
    front = await start('front');
  });
  afterAll(async () => {
    await worker?.close();
    await front.close();
    await sql.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const post = (path: string, body: object, headers = {}) =>
    front.fetch(path, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify(body),
    });

  test('a turn that a front accepts waits for a worker, and the front sends the answer', async () => {
    const waiting = front.chat({ user_prompt: 'Hello', thread_id: 'a' });
    await until(async () => (await sql`SELECT status FROM skein.runs`)[0]?.status === 'queued');
    worker = await start('worker');
    const { status, body } = await waiting;
    expect({ status, thread: body.thread_id }).toEqual({ status: 200, thread: 'a' });
    const streamed = await post(
      '/api/v1/chat',
      { user_prompt: 'Again', thread_id: 'a', conversation_flow: 'classification-agent' },
      { accept: 'text/event-stream' },
    );
    expect(await streamed.text()).toContain('event: response');
    await worker.close();
    worker = undefined;
  });

  test('a front rejects dry runs of prompt files, because it runs nothing', async () => {
    const answer = await post(`/api/v1/prompts/dry-run/default/${RESPONDER}`, {
      content: 'Answer.',
      turns: 1,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error_code: 'INVALID_REQUEST',
      message: "This server doesn't execute runs, so it cannot try a prompt file",
      detail: expect.stringContaining('cluster.role is front'),
    });
  });

  test('a front starts no crons, and a worker does', async () => {
    const made = await post('/runs/crons', {
      assistant_id: 'classification-agent',
      schedule: '0 0 1 1 *',
      input: {},
    });
    const { cron_id } = (await made.json()) as { cron_id: string };
    await sql`UPDATE skein.crons SET next_at = 1 WHERE cron_id = ${cron_id}`;
    const isDue = async () => {
      const [cron] = await sql`SELECT next_at FROM skein.crons WHERE cron_id = ${cron_id}`;
      return Number(cron.next_at) === 1;
    };
    // The server that starts crons is notified of a new one, and checks immediately.
    await post('/runs/crons', { assistant_id: 'classification-agent', schedule: '0 0 1 1 *', input: {} });
    await Bun.sleep(1_000);
    expect(await isDue()).toBe(true);
    worker = await start('worker');
    await until(async () => !(await isDue()));
  });

  test('a front does not index documents', () => {
    const index = (role: string) => existsSync(join(folder, role, '.tmp/knowledge_index-lock'));
    expect([index('worker'), index('front')]).toEqual([true, false]);
  });

  test('a worker serves its health and metrics, and an error for other paths', async () => {
    worker ??= await start('worker');
    for (const path of ['/livez', '/readyz', '/api/v1/health', '/metrics'])
      expect({ path, status: (await worker.fetch(path)).status }).toEqual({ path, status: 200 });
    const metrics = await (await worker.fetch('/metrics')).text();
    expect(metrics).toContain('skein_http_requests_total{method="GET",route="/livez",status="200"} 1');
    expect(metrics).toContain('skein_disk_bytes{part="state"}');
    for (const path of ['/api/v1/chat', '/api/v1/threads', '/threads', '/studio', '/nothing']) {
      const answer = await worker.fetch(path, { method: 'POST', headers: JSON_TYPE, body: '{}' });
      expect(answer.headers.has('x-request-id')).toBe(true);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
      expect(await answer.json()).toMatchObject({
        error_code: 'NOT_FOUND',
        message: expect.stringContaining('a worker'),
      });
    }
  });

  test('the diagnostic and the start report the role', async () => {
    const diagnostic = (await (await front.fetch('/api/v1/diagnostic')).json()) as {
      runtime: { role: string };
      directories: { state: string };
    };
    expect(diagnostic.runtime.role).toBe('front');
    expect(diagnostic.directories.state).toMatch(/^postgresql:\/\/127\.0\.0\.1:\d+\/skein_\w+$/);
    const service = await spawnService(folder, { ...settings('worker') });
    expect(service.output()).toContain('role       worker: ');
    service.kill('SIGTERM');
    await service.exited;
  });
});
