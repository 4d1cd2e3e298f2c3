/** `skein dev --postgres`: a private database of the project, which runs as long as the command and keeps its data. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES } from '../support/postgres-database.ts';
import { listening, spawnProcess } from '../support/process.ts';
import { WITHOUT_SAMPLES } from '../support/service.ts';

setDefaultTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-dev-postgres-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FLAGS = ['dev', '--postgres', '--port', '0', '--host', '127.0.0.1', '--log-level', 'error'];
const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');
const dev = () =>
  spawnProcess(
    [process.execPath, '--no-env-file', MAIN, ...FLAGS],
    folder,
    { HOME: folder, ...WITHOUT_SAMPLES },
    { detached: true },
  );
const file = (...names: string[]) => join(folder, '.tmp', 'postgres', ...names);
const isRunning = () => existsSync(file('data', 'postmaster.pid'));

async function chat(url: string, prompt: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const request = { conversation_flow: 'classification-agent', thread_id: 'kept', user_prompt: prompt };
  await fetch(`${url}/api/v1/chat`, { method: 'POST', headers, body: JSON.stringify(request) });
  const thread = await fetch(`${url}/api/v1/threads/kept`);
  return ((await thread.json()) as { message_count: number }).message_count;
}

describe.skipIf(POSTGRES === undefined)('with PostgreSQL installed', () => {
  test('it is started and stopped, and its data is kept', async () => {
    const first = await listening(dev());
    expect(first.output()).toMatch(
      /PostgreSQL: postgresql:\/\/127\.0\.0\.1:\d+\/postgres, data in \.tmp\/postgres\n/,
    );
    expect(first.output()).not.toContain(readFileSync(file('password'), 'utf8'));
    expect(statSync(file('password')).mode & 0o077).toBe(0);
    expect(await chat(first.url, 'My bike broke')).toBe(2);
    expect(existsSync(join(folder, '.tmp', 'skein.db'))).toBe(false);
    first.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(isRunning()).toBe(false);

    const second = await listening(dev());
    expect(await chat(second.url, 'It squeaks')).toBe(4);
    const other = dev();
    expect(await other.exited).toBe(2);
    await other.errors;
    expect(other.output()).toContain('another skein dev uses the PostgreSQL of this project');
    // The next command stops the database that a killed one has left running.
    const [pid] = readFileSync(file('data', 'postmaster.pid'), 'utf8').split('\n');
    second.killGroup('SIGKILL');
    await second.exited;
    expect(isRunning()).toBe(true);
    const third = await listening(dev());
    expect(readFileSync(file('data', 'postmaster.pid'), 'utf8').split('\n')[0]).not.toBe(pid);
    expect(await chat(third.url, 'Again')).toBe(6);
    third.kill('SIGINT');
    expect(await third.exited).toBe(0);
    expect(isRunning()).toBe(false);
  });

  test('data of a PostgreSQL version that is not installed is not changed', async () => {
    const version = file('data', 'PG_VERSION');
    const before = readFileSync(version, 'utf8');
    await Bun.write(version, '9\n');
    const refused = dev();
    expect(await refused.exited).toBe(2);
    await refused.errors;
    expect(refused.output()).toContain(
      'the data in .tmp/postgres needs PostgreSQL 9, which is not installed',
    );
    await Bun.write(version, before);
  });
});
