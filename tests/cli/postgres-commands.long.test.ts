/** The commands in a project whose state is in PostgreSQL: with a service, without one, and without a database. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, POSTGRES, type TestDatabase } from '../support/postgres-database.ts';
import { spawnService } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';
import { WITHOUT_SAMPLES } from '../support/service.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

describe.skipIf(!POSTGRES)('on PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-pg-commands-'));
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const env = (url = database.url) => ({
    ...WITHOUT_SAMPLES,
    SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
    DATABASE_URL: url,
    SERVICE_CHAT_HISTORY__POOL_SIZE: '2',
    SERVICE_CLUSTER__LEASE_SECONDS: '1',
  });
  const skein = (...args: string[]) => runCommand([...args, '--port', '0'], folder, env());
  async function stateCheck(url?: string) {
    const { out } = await runCommand(['validate', '--json', '--port', '0'], folder, env(url));
    const { checks } = JSON.parse(out) as { checks: { name: string; state: string; found: string }[] };
    return checks.find(({ name }) => name.startsWith('state'));
  }

  test('validate reads the database and creates nothing', async () => {
    for (let round = 0; round < 2; round++)
      expect(await stateCheck()).toMatchObject({
        name: 'state database',
        state: 'ok',
        found: expect.stringMatching(
          /^postgresql:\/\/127\.0\.0\.1:\d+\/skein_\w+: PostgreSQL [\d.]+.*, the tables are created at the first start$/,
        ),
      });
  });

  test('validate says why the database cannot be used, without the password', async () => {
    const missing = await stateCheck(
      database.url.replace('admin@', 'admin:canary@').replace(/[^/]+$/, 'none'),
    );
    expect(missing).toMatchObject({ state: 'failed' });
    expect(missing?.found).toContain('the database does not exist');
    const away = await stateCheck('postgres://admin:canary@127.0.0.1:1/none');
    expect(away?.found).toContain('is unreachable');
    expect(`${missing?.found}${away?.found}`).not.toContain('canary');
  });

  test('the next command sees a turn and its thread', async () => {
    const run = await skein('run', 'classification-agent', '--prompt', 'My pedal broke.', '--thread', 'a');
    expect({ code: run.code, errors: run.errors }).toMatchObject({ code: 0 });
    expect(run.errors).toContain('the database is opened here');
    const chat = await skein('chat', '--thread', 'a', '--message', 'And now?');
    expect({ code: chat.code, errors: chat.errors }).toMatchObject({ code: 0 });
    const list = await skein('threads', 'list', '--json');
    expect(JSON.parse(list.out)).toMatchObject({ threads: [{ thread_id: 'a', message_count: 4 }] });
    expect((await skein('threads', 'show', 'a')).out).toContain('My pedal broke.');
    expect((await skein('workflows')).out).toContain('classification-agent');
    expect(await stateCheck()).toMatchObject({ state: 'ok', found: expect.stringContaining(' MiB') });
  });

  test('while a service runs, a command can open the database too', async () => {
    const service = await spawnService(folder, env());
    const beside = await skein('threads', 'list', '--json');
    expect(JSON.parse(beside.out)).toMatchObject({ threads: [{ thread_id: 'a' }] });
    const through = await runCommand(['threads', 'delete', 'a', '--url', service.url], folder, env());
    expect(through.code).toBe(0);
    expect(JSON.parse((await skein('threads', 'list', '--json')).out)).toMatchObject({ threads: [] });
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });

  test('no state file is created', async () => {
    expect(await Array.fromAsync(new Bun.Glob('**/skein.db*').scan({ cwd: folder, dot: true }))).toEqual([]);
  });
});
