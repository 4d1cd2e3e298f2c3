/** DELETE /api/v1/threads/{thread_id} deletes all data of the thread, in every file, and no other data. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { filesWith } from '../../support/bytes.ts';
import { askState } from '../../support/stored-state.ts';
import { ON_POSTGRES } from '../../support/test-state.ts';
import { echoing } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { callsOf } from '../support/thread-calls.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
const service = runningService(provider, 'limits: { queued_turns_per_thread: 2 }');
const call = callsOf(service);

const state = () => join(service.folder, '.tmp');
const open = () => new Database(join(state(), 'skein.db'), { readonly: true });

/** The content of all tables. */
async function rows(): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {};
  for (const table of TABLES) all[table] = await askState(service.folder, `SELECT * FROM ${table}`);
  return all;
}

const TABLES = ['threads', 'messages', 'runs', 'events', 'feedback', 'idempotency'].concat([
  'checkpoints',
  'checkpoint_values',
  'checkpoint_elements',
  'checkpoint_deltas',
  'state_changes',
  'checkpoint_writes',
]);

/** Whether the text is in any table or, if the state is a file of SQLite, in any of its bytes. */
async function isStored(text: string): Promise<boolean> {
  return JSON.stringify(await rows()).includes(text) || filesWith(state(), text).length > 0;
}

test('every row and every byte of a thread is deleted, and other data stays', async () => {
  await service.chat({ user_prompt: 'bystander', thread_id: 'other' }, { 'idempotency-key': 'other' });
  // Its texts are in the search index, to which runs are added in the background.
  await call('GET', '/search?q=bystander');
  const before = await rows();
  const key = { 'idempotency-key': 'canary-key' };
  const first = await service.chat(
    { user_prompt: 'canary one', user_id: 'canary-user', thread_id: 'gone' },
    key,
  );
  for (let turn = 0; turn < 20; turn++) {
    await service.chat({ user_prompt: `canary ${turn} ${'canary '.repeat(turn * 40)}`, thread_id: 'gone' });
  }
  const { message_id, run_id } = first.body;
  await call('PUT', `/messages/${message_id}/feedback`, { comment: 'canary comment' });
  await call('PATCH', '/threads/gone', { metadata: { note: 'canary note' } });
  expect(await isStored('canary')).toBe(true);
  const { status, body, headers } = await call('DELETE', '/threads/gone');
  expect({ status, body, type: headers.get('content-type') }).toEqual({
    status: 204,
    body: null,
    type: null,
  });
  expect(await isStored('canary')).toBe(false);
  expect(await isStored('bystander')).toBe(true);
  expect(await rows()).toEqual(before);
  expectRefused(await call('GET', '/threads/gone'), 404, 'THREAD_NOT_FOUND');
  expectRefused(await call('GET', `/runs/${run_id}`), 404, 'RUN_NOT_FOUND');
  expectRefused(await call('GET', `/messages/${message_id}/feedback`), 404, 'MESSAGE_NOT_FOUND');
  expectRefused(await call('DELETE', '/threads/gone'), 404, 'THREAD_NOT_FOUND');
  expect((await call('GET', '/threads/other')).body.message_count).toBe(2);
  // The idempotency key and the id can be used again.
  const again = await service.chat({ user_prompt: 'another', thread_id: 'gone' }, key);
  expect(again.headers.get('idempotency-replayed')).toBeNull();
  expect((await call('GET', '/threads/gone')).body).toMatchObject({ title: 'another', message_count: 2 });
  expect(provider.requests.at(-1)?.messages.at(-1)?.content).toBe('another');
  expect(provider.requests.at(-1)?.messages.length).toBe(2);
});

test('running and queued turns are cancelled first, and a turn that arrives during the deletion is rejected', async () => {
  await service.chat({ user_prompt: 'first', thread_id: 'busy' });
  const before = provider.requests.length;
  provider.script = echoing({
    answer: () => (signal: AbortSignal) =>
      new Promise<Response>((resolve) => signal.addEventListener('abort', () => resolve(new Response()))),
  });
  const running = service.chat({ user_prompt: 'held-text', thread_id: 'busy' });
  await until(() => provider.requests.length >= before + 2);
  const queued = service.chat({ user_prompt: 'waiting-text', thread_id: 'busy' });
  await until(async () => (await call('GET', '/threads/busy/runs')).body.runs.length === 3);
  const deletions = [call('DELETE', '/threads/busy'), call('DELETE', '/threads/busy')];
  const late = service.chat({ user_prompt: 'late', thread_id: 'busy' });
  const concurrent = call('GET', '/threads/busy/messages');
  const { status, body } = await late;
  expect(status).toBe(409);
  // With PostgreSQL, the turn may be accepted before the deletion is known, and is then cancelled.
  if (!ON_POSTGRES || body.error_code !== 'RUN_CANCELLED')
    expect(body).toMatchObject({ error_code: 'THREAD_BUSY', detail: 'The thread is being deleted' });
  expectRefused(await running, 409, 'RUN_CANCELLED');
  expectRefused(await queued, 409, 'RUN_CANCELLED');
  const statuses = (await Promise.all(deletions)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([204, 404]);
  expect([200, 404]).toContain((await concurrent).status);
  expect(provider.aborted).toBe(1);
  expect([await isStored('waiting-text'), await isStored('held-text')]).toEqual([false, false]);
  provider.script = echoing();
  expect((await service.chat({ user_prompt: 'new', thread_id: 'busy' })).status).toBe(200);
  expect((await call('GET', '/threads/busy')).body.message_count).toBe(2);
});

const testOfFile = test.skipIf(ON_POSTGRES);

testOfFile(
  'a reader outside holds the log for a while at most, and the deletion is answered all the same',
  async () => {
    await service.chat({ user_prompt: 'sparrow', thread_id: 'read' });
    const reader = open();
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM runs').get();
    const deleted = call('DELETE', '/threads/read');
    await Bun.sleep(100);
    reader.run('COMMIT');
    reader.close();
    expect((await deleted).status).toBe(204);
    expect(filesWith(state(), 'sparrow')).toEqual([]);
  },
);

testOfFile('a reader that stays longer does not hold up the answer', async () => {
  await service.chat({ user_prompt: 'x', thread_id: 'held' });
  const reader = open();
  reader.run('BEGIN');
  reader.query('SELECT count(*) FROM runs').get();
  expect((await call('DELETE', '/threads/held')).status).toBe(204);
  expect((await service.chat({ user_prompt: 'y', thread_id: 'held' })).status).toBe(200);
  reader.run('COMMIT');
  reader.close();
});

test('a deletion ignores its body', async () => {
  await service.chat({ user_prompt: 'x', thread_id: 'body' });
  const deleted = await service.fetch('/api/v1/threads/body', { method: 'DELETE', body: 'not json' });
  expect(deleted.status).toBe(204);
});
