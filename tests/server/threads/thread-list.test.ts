/** GET /api/v1/threads, one thread, and PATCH. */
import { expect, test } from 'bun:test';
import { echoing, failure } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { allOf, callsOf } from '../support/thread-calls.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
const service = runningService(provider);
const call = callsOf(service);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const idsOf = async (query: string) =>
  (await call('GET', `/threads?limit=100&${query}`)).body.threads.map(
    ({ thread_id }: { thread_id: string }) => thread_id,
  );

test('a thread has the shape of the contract, and its entry in the list is the same without details', async () => {
  const { thread_id } = (await service.chat({ user_prompt: '  A  title\nof two lines ' })).body;
  const { status, body } = await call('GET', `/threads/${thread_id}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    thread_id,
    title: 'A title of two lines',
    workflow: 'classification-agent',
    status: 'idle',
    message_count: 2,
    created_at: expect.stringMatching(TIME),
    updated_at: expect.stringMatching(TIME),
    parent: null,
    interrupt: null,
    interrupts: [],
    stopped_at: [],
    metadata: {},
  });
  const { interrupt, interrupts, stopped_at, metadata, ...entry } = body;
  expect((await call('GET', '/threads?limit=1')).body).toMatchObject({ threads: [entry] });
});

test('threads are listed most recently active first, with pages, each once', async () => {
  for (const id of ['p-1', 'p-2', 'p-3', 'p-4', 'p-5']) {
    await service.chat({ user_prompt: 'pages', thread_id: id });
  }
  await service.chat({ user_prompt: 'again', thread_id: 'p-2' });
  const listed = (await allOf(call, '/threads?q=p-', 'threads', 2)) as { thread_id: string }[];
  expect(listed.map(({ thread_id }) => thread_id)).toEqual(['p-2', 'p-5', 'p-4', 'p-3', 'p-1']);
  const plain = (await allOf(call, '/threads', 'threads', 2)) as { thread_id: string }[];
  expect(plain.slice(0, 5)).toEqual(listed.slice(0, 5));
  expect(new Set(plain.map(({ thread_id }) => thread_id)).size).toBe(plain.length);
});

test('a first prompt in JSON becomes a title in words', async () => {
  const { thread_id } = (await service.chat({ user_prompt: '{"topic": "bees", "count": 2}' })).body;
  expect((await call('GET', `/threads/${thread_id}`)).body.title).toBe('bees');
});

test('q matches a part of the title or the id, in any case, and its wildcards are literal', async () => {
  await service.chat({ user_prompt: 'Größe 100% of it', thread_id: 'q-Alpha' });
  await service.chat({ user_prompt: 'something_else', thread_id: 'q-beta' });
  expect(await idsOf('q=GRÖSSE'.replace('SS', 'ß'))).toEqual(['q-Alpha']);
  expect(await idsOf('q=alpha')).toEqual(['q-Alpha']);
  expect(await idsOf('q=100%25')).toEqual(['q-Alpha']);
  expect(await idsOf('q=h_n')).toEqual([]);
  expect(await idsOf('q=%25')).toEqual(['q-Alpha']);
  expect(await idsOf('q=g_els')).toEqual(['q-beta']);
});

test('workflow and status filter', async () => {
  await service.chat({ user_prompt: 'fine', thread_id: 's-idle' });
  provider.script = echoing({ answer: () => failure(400) });
  await service.chat({ user_prompt: 'fails', thread_id: 's-error' });
  const hold = Promise.withResolvers<string>();
  provider.script = echoing({ answer: () => hold.promise });
  const before = provider.requests.length;
  const busy = service.chat({ user_prompt: 'waits', thread_id: 's-busy' });
  await until(() => provider.requests.length > before);
  const found = async (query: string) => (await idsOf(query)).filter((id: string) => id.startsWith('s-'));
  expect(await found('status=idle')).toEqual(['s-idle']);
  expect(await found('status=error')).toEqual(['s-error']);
  expect(await found('status=busy')).toEqual(['s-busy']);
  expect(await found('status=interrupted')).toEqual([]);
  expect(await found('workflow=Classification_Agent')).toEqual(['s-busy', 's-error', 's-idle']);
  expect(await found('workflow=Classification_Agent&status=error')).toEqual(['s-error']);
  expect(await found('workflow=other')).toEqual([]);
  expect((await call('GET', '/threads/s-busy')).body.status).toBe('busy');
  hold.resolve('done');
  await busy;
  expect((await call('GET', '/threads/s-busy')).body.status).toBe('idle');
});

test('a failed turn counts as activity, and the next one that succeeds clears the error', async () => {
  await service.chat({ user_prompt: 'one', thread_id: 'failing' });
  const before = (await call('GET', '/threads/failing')).body;
  provider.script = echoing({ answer: () => failure(400) });
  await service.chat({ user_prompt: 'two', thread_id: 'failing' });
  const failed = (await call('GET', '/threads/failing')).body;
  expect(failed).toMatchObject({ status: 'error', message_count: 2 });
  expect(failed.updated_at > before.updated_at).toBe(true);
  provider.script = echoing();
  await service.chat({ user_prompt: 'three', thread_id: 'failing' });
  expect((await call('GET', '/threads/failing')).body).toMatchObject({ status: 'idle', message_count: 4 });
});

test('title and metadata are changed separately, and nothing else changes', async () => {
  await service.chat({ user_prompt: 'first', thread_id: 'named' });
  const before = (await call('GET', '/threads/named')).body;
  const metadata = { tags: ['a'], deep: { lc: 1, $: 'x' } };
  expect(await call('PATCH', '/threads/named', { metadata })).toMatchObject({
    status: 200,
    body: { ...before, metadata },
  });
  const title = 'Größe 👍'.padEnd(199, 'x');
  expect((await call('PATCH', '/threads/named', { title, extra: 1 })).body).toEqual({
    ...before,
    title,
    metadata,
  });
  expect((await call('PATCH', '/threads/named', { metadata: { only: 1 } })).body.metadata).toEqual({
    only: 1,
  });
  expect((await call('GET', '/threads/named')).body).toEqual({ ...before, title, metadata: { only: 1 } });
});

const BAD: [string, unknown][] = [
  ['body', {}],
  ['body', { other: 1 }],
  ['title', { title: '' }],
  ['title', { title: ' \n' }],
  ['title', { title: 'canary'.repeat(40) }],
  ['title', { title: 5 }],
  ['metadata', { metadata: ['canary'] }],
  ['metadata', { metadata: null }],
  ['metadata', { metadata: 'canary' }],
  ['metadata', { metadata: { text: 'canary'.repeat(3_000) } }],
];

for (const [field, body] of BAD) {
  test(`a change is rejected: ${JSON.stringify(body).slice(0, 40)}`, async () => {
    await service.chat({ user_prompt: 'first', thread_id: 'kept' });
    const before = (await call('GET', '/threads/kept')).body;
    const { detail } = expectRefused(await call('PATCH', '/threads/kept', body), 400, 'INVALID_REQUEST');
    expect(detail).toStartWith(`${field}:`);
    expect(detail).not.toContain('canary');
    expect((await call('GET', '/threads/kept')).body).toEqual(before);
  });
}

for (const [field, query] of [
  ['limit', 'limit=0'],
  ['limit', 'limit=101'],
  ['limit', 'limit=x'],
  ['limit', 'limit='],
  ['cursor', 'cursor='],
  ['cursor', 'cursor=nonsense'],
  ['cursor', `cursor=${Buffer.from('[1]').toString('base64url')}`],
  ['cursor', `cursor=${Buffer.from('["a","b"]').toString('base64url')}`],
  ['status', 'status=running'],
] as const) {
  test(`a query is rejected: ${query}`, async () => {
    const { detail } = expectRefused(await call('GET', `/threads?${query}`), 400, 'INVALID_REQUEST');
    expect(detail).toStartWith(`${field}:`);
  });
}

test('an unknown thread is not found by any request', async () => {
  for (const id of ['nope', '%00', 'a%2fb', 'x'.repeat(300), "' OR 1=1 --"]) {
    const path = `/threads/${id}`;
    for (const answer of [
      await call('GET', path),
      await call('PATCH', path, { title: 't' }),
      await call('DELETE', path),
      await call('GET', `${path}/messages`),
      await call('GET', `${path}/runs`),
      await call('GET', `${path}/checkpoints`),
      await call('GET', `${path}/checkpoints/x`),
      await call('POST', `${path}/fork`, {}),
    ]) {
      expectRefused(answer, 404, 'THREAD_NOT_FOUND');
    }
  }
});
