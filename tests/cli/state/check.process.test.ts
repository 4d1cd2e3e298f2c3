/** `skein state check` reports no errors in what services write, and a line for each inconsistency. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { freshDatabase, POSTGRES } from '../../support/postgres-database.ts';
import { runCommand } from '../../support/run-command.ts';
import { addRows, fill, newFolder, onPostgres, stateFile, talkingService } from './filled-service.ts';

setDefaultTimeout(120_000);

const KEY = `(SELECT '000000000001')`;

/** Damages, each on a separate thread, and the reported lines. */
const DAMAGES: Record<string, [sql: string, says: RegExp]> = {
  'a head': [
    `DELETE FROM checkpoints WHERE id = (SELECT head FROM threads WHERE thread_id = 'asks')`,
    /^thread asks of anonymous: its head \S+ is none of its checkpoints$/m,
  ],
  'a value': [
    `DELETE FROM checkpoint_values WHERE thread = ${KEY} AND channel = 'messages' AND version =
       (SELECT max(version) FROM checkpoint_values WHERE thread = ${KEY} AND channel = 'messages')`,
    /^thread talk of anonymous: the value of the channel 'messages' at the checkpoint \S+ is missing$/m,
  ],
  'an element': [
    `DELETE FROM checkpoint_elements WHERE thread = ${KEY} AND channel = 'messages' AND seq = 1`,
    /^thread talk of anonymous: 1 elements of the channel 'messages' are missing, the first one is 1$/m,
  ],
  'the run of messages': [
    `DELETE FROM runs WHERE run_id = (SELECT run_id FROM messages WHERE content = 'It squeaks' AND thread = 2)`,
    /^message \S+: its run does not exist\n[\s\S]*^log of the run \S+: the run does not exist$/m,
  ],
  'a log': [
    `INSERT INTO events (run_id, first, last, chat_first, chat_last, thread, seq, created_at, body)
     SELECT run_id, last + 2, last + 2, 1, 0, thread, seq + 1000, created_at, '[]' FROM events ORDER BY run_id, last DESC LIMIT 1`,
    /^log of the run \S+: the entry \d+ is followed by \d+$/m,
  ],
  'a thread': [
    `DELETE FROM threads WHERE thread_id = 'hooked'`,
    /^checkpoints: \d+ rows belong to the thread number \d+, which does not exist$[\s\S]*^run \S+: its thread does not exist$/m,
  ],
  'a message': [
    `DELETE FROM messages WHERE message_id = (SELECT max(message_id) FROM feedback)`,
    /^feedback of the message \S+: the message does not exist$/m,
  ],
  'the current version of an assistant': [
    'UPDATE assistants SET version = 9',
    /^assistant \S+: its current version does not exist$/m,
  ],
  'an item': ['DELETE FROM items', /^vector of the item number 1: the item does not exist$/m],
};

const folder = newFolder();
let file = '';
let services: string[] = [];

beforeAll(async () => {
  const service = await talkingService();
  services = [service.folder];
  await fill(service);
  await service.close();
  file = stateFile(service);
  addRows(file);
  const db = new Database(file);
  db.run(`UPDATE threads SET thread_id = 'hooked' WHERE key = (SELECT thread FROM webhook_deliveries)`);
  db.close();
});
afterAll(() => Promise.all([folder, ...services].map((each) => rm(each, { recursive: true, force: true }))));

const check = (...args: string[]) => runCommand(['state', 'check', ...args], folder);

test('a consistent file is reported with its counts, and is not changed', async () => {
  const before = statSync(file).mtimeMs;
  const { out, errors, code } = await check('--database', file);
  expect({ errors, code }).toEqual({ errors: '', code: 0 });
  expect(out).toStartWith(`${file} is consistent: 6 threads, 8 runs, `);
  expect(statSync(file).mtimeMs).toBe(before);
});

test('without --database, it checks the database of the settings, even while a service runs', async () => {
  const service = await talkingService();
  services.push(service.folder);
  await service.chat({ conversation_flow: 'talk', thread_id: 'talk', user_prompt: 'Hello' });
  const { out, code } = await runCommand(['state', 'check'], service.folder);
  expect(out).toStartWith(`${stateFile(service)} is consistent: 1 threads, 1 runs, 2 messages`);
  expect(code).toBe(0);
  await service.close();
});

test.each(Object.entries(DAMAGES))(
  'an inconsistency in a file is reported: %s',
  async (name, [sql, says]) => {
    const path = join(folder, `${name.replaceAll(' ', '-')}.db`);
    copyFileSync(file, path);
    const db = new Database(path);
    expect(db.run(sql).changes).toBeGreaterThan(0);
    db.close();
    const { out, errors, code } = await check('--database', path);
    expect(out).toMatch(says);
    const count = out.trimEnd().split('\n').length;
    expect(errors).toBe(`${path}: ${count} ${count === 1 ? 'inconsistency' : 'inconsistencies'}\n`);
    expect(code).toBe(1);
  },
);

describe.skipIf(POSTGRES === undefined)('on PostgreSQL', () => {
  test('the data of a service is consistent, and inconsistencies are reported', async () => {
    const database = await freshDatabase();
    const service = await talkingService(onPostgres(database.url));
    services.push(service.folder);
    await fill(service);
    const good = await check('--database', database.url);
    expect(good).toMatchObject({ code: 0, errors: '' });
    expect(good.out).toContain(' is consistent: 6 threads, 8 runs, ');
    await service.close();

    const copy = await freshDatabase();
    expect((await runCommand(['state', 'copy', '--from', file, '--to', copy.url], folder)).code).toBe(0);
    const sql = new SQL({ url: copy.url, max: 1 });
    // Turns off foreign-key checks.
    await sql.unsafe('SET search_path = skein; SET session_replication_role = replica').simple();
    for (const [text] of Object.values(DAMAGES)) await sql.unsafe(text);
    await sql.close();
    const { out, errors, code } = await check('--database', copy.url);
    for (const [, says] of Object.values(DAMAGES)) expect(out).toMatch(says);
    expect(errors).toMatch(/^postgresql:\/\/127\.0\.0\.1:\d+\/\w+: \d+ inconsistencies\n$/);
    expect(code).toBe(1);
    await database.drop();
    await copy.drop();
  });
});
