/** Checkpoints over HTTP, and POST /api/v1/threads/{thread_id}/fork. */
import { expect, test } from 'bun:test';
import { blocksOf, callOf, conversationOf, echoing } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { allOf, callsOf } from '../support/thread-calls.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
const service = runningService(provider);
const call = callsOf(service);

interface Checkpoint {
  checkpoint_id: string;
  parent_id: string | null;
  agent: string | null;
  next: string[];
  source: string;
  run_id: string | null;
}
interface Message {
  message_id: string;
  id: string;
  role: string;
  content: string;
}

const checkpointsOf = async (id: string): Promise<Checkpoint[]> =>
  (await call('GET', `/threads/${id}/checkpoints?limit=100`)).body.checkpoints;
const valuesOf = async (id: string, checkpoint: string) =>
  (await call('GET', `/threads/${id}/checkpoints/${checkpoint}`)).body.values;
const messagesOf = async (id: string): Promise<Message[]> =>
  (await call('GET', `/threads/${id}/messages?limit=100`)).body.messages;
/** Role and content of the messages. Of an answer only the responder's text. */
const conversation = async (id: string) =>
  (await messagesOf(id)).map(({ role, content }) => `${role}: ${content.split('responder: ').at(-1)}`);
const fork = (id: string, body: object = {}) => call('POST', `/threads/${id}/fork`, body);

async function thread(...questions: string[]): Promise<string> {
  const { thread_id } = (await service.chat({ user_prompt: questions[0] })).body;
  for (const user_prompt of questions.slice(1)) await service.chat({ user_prompt, thread_id });
  return thread_id;
}

/** The conversation that the model sees when the thread gets a question. */
async function seenBy(thread_id: string, user_prompt: string): Promise<string[]> {
  expect((await service.chat({ user_prompt, thread_id })).status).toBe(200);
  const lastRequest = provider.requests.findLast((request) => callOf(request) === 'answer');
  return lastRequest ? conversationOf(lastRequest) : [];
}

test('checkpoints are listed newest first, and one is read with its public values', async () => {
  const id = await thread('one', 'two');
  const all = await checkpointsOf(id);
  expect(all.map(({ source, agent, next }) => [source, agent, next.join()])).toEqual(
    [0, 1].flatMap(() => [
      ['loop', 'support_responder', ''],
      ['loop', 'classification_agent', 'support_responder'],
      ['loop', null, 'classification_agent'],
      ['input', null, '__start__'],
    ]),
  );
  expect(all.slice(0, -1).map(({ parent_id }) => parent_id)).toEqual(
    all.slice(1).map(({ checkpoint_id }) => checkpoint_id),
  );
  const [last] = (await call('GET', `/threads/${id}/runs`)).body.runs;
  expect(all.slice(0, 4).map(({ run_id }) => run_id)).toEqual(Array(4).fill(last.run_id));
  expect(await allOf(call, `/threads/${id}/checkpoints`, 'checkpoints', 3)).toEqual(all);
  const [head] = all;
  const one = (await call('GET', `/threads/${id}/checkpoints/${head?.checkpoint_id}`)).body;
  expect(one).toMatchObject(head ?? {});
  expect(Object.keys(one.values).toSorted()).toEqual(['category', 'messages', 'outputs']);
  expect(one.values.messages).toEqual(
    ['one', 're: one', 'two', 're: two'].map((content, index) => ({
      id: expect.any(String),
      role: index % 2 === 0 ? 'user' : 'assistant',
      content,
    })),
  );
  for (const unknown of ['nope', '%00', Bun.randomUUIDv7()]) {
    const path = `/threads/${id}/checkpoints/${unknown}`;
    expectRefused(await call('GET', path), 404, 'CHECKPOINT_NOT_FOUND');
  }
  const other = await thread('elsewhere');
  const foreign = `/threads/${other}/checkpoints/${head?.checkpoint_id}`;
  expectRefused(await call('GET', foreign), 404, 'CHECKPOINT_NOT_FOUND');
});

test('a fork of the head continues with the memory, its messages are copies, and the origin does not change', async () => {
  const id = await thread('one', 'two');
  const before = { thread: (await call('GET', `/threads/${id}`)).body, messages: await messagesOf(id) };
  const [head] = await checkpointsOf(id);
  const { status, body, headers } = await fork(id);
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/api/v1/threads/${body.thread_id}`);
  expect(body).toMatchObject({
    title: 'one',
    workflow: 'classification-agent',
    status: 'idle',
    message_count: 4,
    parent: { thread_id: id, checkpoint_id: head?.checkpoint_id },
    interrupt: null,
    metadata: {},
  });
  expect((await call('GET', `/threads/${body.thread_id}`)).body).toEqual(body);
  expect((await call('GET', '/threads?limit=1')).body.threads[0].thread_id).toBe(body.thread_id);
  const copies = await messagesOf(body.thread_id);
  const plain = (list: Message[]) => list.map(({ message_id, ...rest }) => rest);
  expect(plain(copies)).toEqual(plain(before.messages));
  const ids = new Set([...copies, ...before.messages].map(({ message_id }) => message_id));
  expect(ids.size).toBe(8);
  expect(await seenBy(body.thread_id, 'three')).toEqual(['one', 're: one', 'two', 're: two', 'three']);
  expect((await call('GET', `/threads/${body.thread_id}`)).body.message_count).toBe(6);
  expect({
    thread: (await call('GET', `/threads/${id}`)).body,
    messages: await messagesOf(id),
  }).toEqual(before);
  expect(await seenBy(id, 'other')).toEqual(['one', 're: one', 'two', 're: two', 'other']);
  expect((await call('GET', `/threads/${body.thread_id}/runs`)).body.runs.length).toBe(1);
});

test('an earlier checkpoint has only the turns up to it', async () => {
  const id = await thread('one', 'two', 'three');
  const all = await checkpointsOf(id);
  const cases: [number, string[]][] = [
    [4, ['user: one', 'assistant: re: one', 'user: two', 'assistant: re: two']],
    [5, ['user: one', 'assistant: re: one', 'user: two']],
    [6, ['user: one', 'assistant: re: one', 'user: two']],
    [7, ['user: one', 'assistant: re: one']],
    [8, ['user: one', 'assistant: re: one']],
    [11, []],
  ];
  for (const [index, expected] of cases) {
    const { body } = await fork(id, { checkpoint_id: all[index]?.checkpoint_id });
    expect([index, await conversation(body.thread_id)]).toEqual([index, expected]);
    expect(body).toMatchObject({ message_count: expected.length, status: 'idle' });
    const again = (await fork(body.thread_id)).body;
    expect([index, await conversation(again.thread_id)]).toEqual([index, expected]);
    const memory = expected.map((line) => line.replace(/^\w+: /, ''));
    expect([index, await seenBy(body.thread_id, 'next')]).toEqual([index, [...memory, 'next']]);
    expect((await conversation(body.thread_id)).length).toBe(expected.length + 2);
  }
});

test('values are merged by the reducers, and the conversation changes with them', async () => {
  const id = await thread('same', 'same', 'last');
  const [head] = await checkpointsOf(id);
  const { messages } = await valuesOf(id, head?.checkpoint_id ?? '');
  const replaced = [
    { id: messages[1].id, role: 'assistant', content: 'I said $& first' },
    { id: messages[2].id, role: 'user', content: 'changed question' },
    { role: 'user', content: 'an added one' },
    { id: 'mine', role: 'assistant', content: 'an added answer' },
    { role: 'system', content: 'be brief' },
  ];
  const values = { messages: replaced, summary: 'A summary.', category: 'purchase' };
  const { status, body } = await fork(id, { values });
  expect({ status, message_count: body.message_count }).toEqual({ status: 201, message_count: 8 });
  expect(await conversation(body.thread_id)).toEqual(
    ['user: same', 'assistant: I said $& first', 'user: changed question', 'assistant: re: same'].concat([
      'user: last',
      'assistant: re: last',
      'user: an added one',
      'assistant: an added answer',
    ]),
  );
  const [updated, base] = await checkpointsOf(body.thread_id);
  expect(updated).toMatchObject({ source: 'update', next: [], parent_id: base?.checkpoint_id });
  expect(base?.checkpoint_id).toBe(head?.checkpoint_id ?? '');
  const state = await valuesOf(body.thread_id, updated?.checkpoint_id ?? '');
  expect(state).toMatchObject({ summary: 'A summary.', category: 'purchase' });
  expect(state.messages.at(-2)).toEqual({ id: 'mine', role: 'assistant', content: 'an added answer' });
  const seen = ['same', 'I said $& first', 'changed question', 're: same', 'last', 're: last'];
  expect(await seenBy(body.thread_id, 'go on')).toEqual([
    ...seen,
    'an added one',
    'an added answer',
    'go on',
  ]);
  expect(provider.requests.map(blocksOf).at(-1)).toContain('"A summary."');
  expect((await fork(body.thread_id)).body.message_count).toBe(10);
  expect(await conversation(id)).toContain('assistant: re: same');
});

for (const [field, values] of [
  ['nope', { nope: 1 }],
  ['__start__', { __start__: 1 }],
  ['?', { 'branch:to:support_responder': 1 }],
  ['toString', { toString: 1 }],
  ['messages', { messages: 'canary' }],
  ['messages', { messages: [{ role: 'tool', content: 'canary' }] }],
  ['messages', { messages: [{ role: 'user', content: '' }] }],
  ['messages', { messages: [{ lc: 1, type: 'constructor', role: 'user' }] }],
  ['summary', { summary: 5 }],
  ['outputs', { outputs: 'canary' }],
] as [string, object][]) {
  test(`values are rejected with their channel: ${JSON.stringify(values).slice(0, 50)}`, async () => {
    const id = await thread('one');
    const count = (await call('GET', '/threads?limit=100')).body.threads.length;
    const { detail } = expectRefused(await fork(id, { values }), 400, 'INVALID_REQUEST');
    expect(detail).toStartWith(`values.${field}:`);
    expect(detail).not.toContain('canary');
    expect((await call('GET', '/threads?limit=100')).body.threads.length).toBe(count);
  });
}

test('other bodies are rejected, and unknown checkpoints are not found', async () => {
  const id = await thread('one');
  for (const [field, body] of [
    ['checkpoint_id', { checkpoint_id: 5 }],
    ['checkpoint_id', { checkpoint_id: '' }],
    ['values', { values: [] }],
    ['values', { values: null }],
    ['values', { values: 'x' }],
  ] as const) {
    expect(expectRefused(await fork(id, body), 400, 'INVALID_REQUEST').detail).toStartWith(`${field}:`);
  }
  expectRefused(await fork(id, { checkpoint_id: 'nope' }), 404, 'CHECKPOINT_NOT_FOUND');
  expectRefused(await fork('nope'), 404, 'THREAD_NOT_FOUND');
});

test('a thread whose first turn is still running has a checkpoint but no head', async () => {
  const hold = Promise.withResolvers<string>();
  provider.script = echoing({ answer: () => hold.promise });
  const busy = service.chat({ user_prompt: 'held', thread_id: 'held' });
  await until(() => provider.requests.length >= 2);
  expectRefused(await fork('held'), 404, 'CHECKPOINT_NOT_FOUND');
  const [newest] = await checkpointsOf('held');
  const { body } = await fork('held', { checkpoint_id: newest?.checkpoint_id });
  expect(body.status).toBe('idle');
  expect(await conversation(body.thread_id)).toEqual(['user: held']);
  hold.resolve('done');
  await busy;
  provider.script = echoing();
  expect(await seenBy(body.thread_id, 'next')).toEqual(['held', 'next']);
});

test('pruning keeps the parent of a fork, and either thread can be deleted before the other', async () => {
  const id = await thread('one');
  const [head] = await checkpointsOf(id);
  const { thread_id } = (await fork(id)).body;
  for (let turn = 0; turn < 16; turn++) await service.chat({ user_prompt: `t${turn}`, thread_id: id });
  const remaining = (await checkpointsOf(id)).map(({ checkpoint_id }) => checkpoint_id);
  expect(remaining.length).toBeLessThan(16 * 4);
  expect(remaining.at(-1)).toBe(head?.checkpoint_id ?? '');
  expect((await call('DELETE', `/threads/${id}`)).status).toBe(204);
  expect((await call('GET', `/threads/${thread_id}`)).body.parent.thread_id).toBe(id);
  expect(await seenBy(thread_id, 'two')).toEqual(['one', 're: one', 'two']);
  const child = (await fork(thread_id)).body.thread_id;
  expect((await call('DELETE', `/threads/${child}`)).status).toBe(204);
  expect(await seenBy(thread_id, 'three')).toEqual(['one', 're: one', 'two', 're: two', 'three']);
});

test('a fork of a thread with a run of the protocol of LangGraph has its messages, and continues', async () => {
  const id = crypto.randomUUID();
  const post = (path: string, body: object) =>
    service.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/threads', { thread_id: id });
  const input = { messages: [{ role: 'user', content: 'from LangGraph' }] };
  await post(`/threads/${id}/runs/wait`, { assistant_id: 'classification-agent', input });
  await service.chat({ user_prompt: 'from chat', thread_id: id });
  const before = await messagesOf(id);
  expect(before.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  const { status, body } = await fork(id);
  expect([status, body.message_count]).toEqual([201, 4]);
  const copies = await messagesOf(body.thread_id);
  const texts = (messages: Message[]) => messages.map(({ role, content }) => [role, content]);
  expect(texts(copies)).toEqual(texts(before));
  const ids = new Set([...before, ...copies].map(({ message_id }) => message_id));
  expect(ids.size).toBe(8);
  await service.chat({ user_prompt: 'next', thread_id: body.thread_id });
  expect(await messagesOf(body.thread_id)).toHaveLength(6);
});
