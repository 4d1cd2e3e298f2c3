/** `skein state copy`: copies the same rows to the other driver and back, while a service runs, and rejects invalid sources and targets. */
import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../server/support/until.ts';
import { freshDatabase, POSTGRES } from '../../support/postgres-database.ts';
import { runCommand } from '../../support/run-command.ts';
import type { TestService } from '../../support/service.ts';
import {
  addRows,
  clientOf,
  dumpOfDatabase,
  dumpOfFile,
  fill,
  newFolder,
  onPostgres,
  stateFile,
  talkingService,
} from './filled-service.ts';

setDefaultTimeout(120_000);

const folder = newFolder();
const databases: { url: string; drop(): Promise<void> }[] = [];
const folders = [folder];
afterAll(async () => {
  await Promise.all(databases.map(({ drop }) => drop()));
  await Promise.all(folders.map((each) => rm(each, { recursive: true, force: true })));
});

async function freshUrl(): Promise<string> {
  const database = await freshDatabase();
  databases.push(database);
  return database.url;
}

async function filled(env: Record<string, string> = {}): Promise<TestService> {
  const service = await talkingService(env);
  folders.push(service.folder);
  await fill(service);
  return service;
}

const copy = (from: string, to: string, ...more: string[]) =>
  runCommand(['state', 'copy', '--from', from, '--to', to, ...more], folder);

describe.skipIf(POSTGRES === undefined)('between SQLite and PostgreSQL', () => {
  test('a file is identical after a copy to a database, on which a service runs, and back', async () => {
    const service = await filled();
    const { url } = service;
    await service.close();
    expect(url).toContain('127.0.0.1');
    const file = stateFile(service);
    addRows(file);
    const database = await freshUrl();
    const there = await copy(file, database);
    expect(there).toMatchObject({ code: 0, errors: '' });
    const back = join(folder, 'back.db');
    expect(await copy(database, back)).toMatchObject({ code: 0, errors: '' });
    const [before, after] = [dumpOfFile(file), dumpOfFile(back)];
    for (const [table, rows] of Object.entries(before))
      expect({ table, rows: after[table] }).toEqual({ table, rows });
    expect(Object.keys(before).filter((table) => before[table]?.length === 0)).toEqual([]);

    const next = await talkingService(onPostgres(database));
    folders.push(next.folder);
    const { body } = await next.chat({ conversation_flow: 'talk', thread_id: 'talk', user_prompt: 'four' });
    expect(body.agent_response).toStartWith('7: ');
    const response = await next.fetch('/api/v1/threads/asks');
    expect(await response.json()).toMatchObject({ status: 'interrupted' });
    await next.close();
  });

  test('a database is identical after a copy to a file and back', async () => {
    const url = await freshUrl();
    const service = await filled(onPostgres(url));
    await service.close();
    const file = join(folder, 'between.db');
    expect(await copy(url, file)).toMatchObject({ code: 0, errors: '' });
    const back = await freshUrl();
    expect(await copy(file, back)).toMatchObject({ code: 0, errors: '' });
    const [before, after] = [await dumpOfDatabase(url), await dumpOfDatabase(back)];
    for (const [table, rows] of Object.entries(before))
      expect({ table, rows: after[table] }).toEqual({ table, rows });
  });

  test.each(['SQLite', 'PostgreSQL'])(
    'a service on %s may run: its running turns are queued in the copy and end there',
    async (driver) => {
      const service = await talkingService(driver === 'SQLite' ? {} : onPostgres(await freshUrl()));
      folders.push(service.folder);
      const file = join(service.folder, 'go');
      const client = clientOf(service);
      const { thread_id } = await client.threads.create();
      const { run_id } = await client.runs.create(thread_id, 'waits', { input: { n: 0, file } });
      await until(async () => (await client.threads.getState<{ n?: number }>(thread_id)).values.n === 1);
      const [from, to] =
        driver === 'SQLite'
          ? [stateFile(service), await freshUrl()]
          : [databases.at(-1)?.url ?? '', join(folder, 'running.db')];
      expect(await copy(from, to)).toMatchObject({ code: 0, errors: '' });
      await service.chat({ conversation_flow: 'talk', thread_id: 'later', user_prompt: 'Later' });
      expect((await client.runs.get(thread_id, run_id)).status).toBe('running');

      const env: Record<string, string> =
        driver === 'SQLite' ? onPostgres(to) : { SERVICE_CHAT_HISTORY__DATABASE_PATH: to };
      const rows = driver === 'SQLite' ? (await dumpOfDatabase(to)).runs : dumpOfFile(to).runs;
      expect(rows).toHaveLength(1);
      expect(JSON.parse(rows?.[0] ?? '')).toMatchObject({ run_id, status: 'queued', lease: 1, attempt: 1 });
      writeFileSync(file, '');
      const next = await talkingService(env);
      folders.push(next.folder);
      expect(await clientOf(next).runs.join(thread_id, run_id)).toMatchObject({ n: 2 });
      await next.close();
      await service.close();
    },
  );

  test('it can be repeated until a service has written to the copy', async () => {
    const service = await talkingService();
    folders.push(service.folder);
    const say = (to: TestService, text: string) =>
      to.chat({ conversation_flow: 'talk', thread_id: 'talk', user_prompt: text });
    await say(service, 'one');
    const url = await freshUrl();
    expect((await copy(stateFile(service), url)).code).toBe(0);
    await say(service, 'two');
    expect((await copy(stateFile(service), url)).code).toBe(0);
    expect((await dumpOfDatabase(url)).messages).toHaveLength(4);

    const next = await talkingService(onPostgres(url));
    folders.push(next.folder);
    await say(next, 'three');
    const used = await copy(stateFile(service), url);
    expect(used).toMatchObject({ code: 2, out: '' });
    expect(used.errors).toContain("'--to': servers are running on this database");
    await next.close();
    const changed = await copy(stateFile(service), url);
    expect(changed).toMatchObject({ code: 2, out: '' });
    expect(changed.errors).toContain('it has changed since the last copy. Use --replace');
    expect((await copy(stateFile(service), url, '--replace')).code).toBe(0);
    expect((await dumpOfDatabase(url)).messages).toHaveLength(4);
    await service.close();
  });

  test('a database with another state is not changed, and no output has a password', async () => {
    const own = await talkingService();
    folders.push(own.folder);
    const url = new URL(await freshUrl());
    url.password = 'secret-word';
    const other = await talkingService(onPostgres(url.href));
    folders.push(other.folder);
    for (const each of [own, other])
      await each.chat({ conversation_flow: 'talk', thread_id: 'talk', user_prompt: 'Hello' });
    await other.close();
    const before = await dumpOfDatabase(url.href);
    for (const more of [[], ['--replace']]) {
      const refused = await copy(stateFile(own), url.href, ...more);
      expect(refused).toMatchObject({ code: 2, out: '' });
      expect(refused.errors).toContain("'--to': it is not empty: 'threads' has 1 rows");
      expect(refused.errors).not.toContain('secret-word');
    }
    expect(await dumpOfDatabase(url.href)).toEqual(before);
    const { out } = await copy(url.href, join(folder, 'secret.db'));
    expect(out).toContain(`from postgresql://${url.host}${url.pathname} to `);
    expect(out).not.toContain('secret-word');
    // A file that a service has open is not a valid target.
    expect((await copy(url.href, stateFile(own))).errors).toContain(
      "'--to': another process is using this state file",
    );
    await own.close();
  });

  test.each([
    ['a database without a state', async () => freshUrl(), 'the database contains no state'],
    ['no database', async () => 'postgres://u:secret-word@127.0.0.1:9/x', 'the database cannot be used'],
    ['no file', async () => 'missing.db', 'file does not exist'],
    [
      'another address',
      async () => 'mysql://u:secret-word@h/x',
      'expected the path of a file, or a postgres://',
    ],
  ])('%s is not a valid source', async (_, from, reason) => {
    const refused = await copy(await from(), 'never.db');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.errors).toContain(`'--from': ${reason}`);
    expect(refused.errors).not.toContain('secret-word');
  });
});

test("a file is not copied to itself, and a file that isn't a state is rejected", async () => {
  const path = join(folder, 'text.db');
  writeFileSync(
    path,
    'Some text, which is longer than the header of a file of SQLite, at least a hundred characters. '.repeat(
      2,
    ),
  );
  expect((await copy(path, path)).errors).toContain("'--to': must not be the database of --from");
  expect((await copy(path, 'never.db')).errors).toContain("'--from': the file cannot be used");
  const empty = join(folder, 'empty.db');
  new Database(empty, { create: true }).run('CREATE TABLE t (a)');
  expect((await copy(empty, 'never.db')).errors).toContain("'--from': the file contains no state");
});
