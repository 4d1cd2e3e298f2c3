/** Human in the loop: an agent asks a question, the turn ends as interrupted, and the answer continues it. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allEvents, eventsOf } from '../../support/events.ts';
import { providerEnv, testService } from '../../support/service.ts';
import { conversationOf, echoing, failure } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';

/** Drafts with the model, asks for approval and for a signature, then a second agent finishes. */
const LETTER = `
export default workflow({
  description: 'Writes a letter that a person approves.',
  agents: () => [{ name: 'writer', description: 'Writes' }, { name: 'closer', description: 'Closes' }],
  example: 'Write a letter.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('writer', agent('writer', async (state, { answer }) => {
        const approved = interrupt({ question: 'May I write?' });
        if (approved === false || approved === null) return { content: 'refused: ' + JSON.stringify(approved) };
        const draft = await answer('You write letters.');
        const signature = interrupt({ question: 'Who signs?', draft: draft.content });
        return { ...draft, content: draft.content + ' ' + JSON.stringify(approved) + ' ' + JSON.stringify(signature) };
      }))
      .addNode('closer', agent('closer', async (state, { answer }) => answer('You close letters.')))
      .addEdge(START, 'writer').addEdge('writer', 'closer').addEdge('closer', END),
});`;

/** Two parallel agents that both ask. */
const PAIR = `
const asking = (name) => async () => ({ content: name + ' ' + JSON.stringify(interrupt({ from: name })) });
export default workflow({
  description: 'Two that ask.',
  agents: () => [{ name: 'left', description: 'l' }, { name: 'right', description: 'r' }],
  example: 'Ask.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('left', agent('left', asking('left'))).addNode('right', agent('right', asking('right')))
      .addEdge(START, 'left').addEdge(START, 'right').addEdge('left', END).addEdge('right', END),
});`;

const graphs = { letter: LETTER, pair: PAIR };
const provider = runningProvider();
const service = runningService(provider, '', graphs);

const ask = (thread_id: string, more: object = {}, at: Pick<typeof service, 'chat'> = service) =>
  at.chat({ user_prompt: 'Dear Ana', thread_id, conversation_flow: 'letter', ...more });

async function answer(
  thread: string,
  value: unknown,
  { body = {}, headers = {}, at = service as Pick<typeof service, 'fetch'> } = {},
) {
  const response = await at.fetch(`/api/v1/threads/${thread}/resume`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ value, ...body }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

test('a turn that asks ends as interrupted, and answers continue it', async () => {
  const first = await ask('t1');
  expect(first.body).toMatchObject({
    event_type: 'interrupt',
    interrupt: { value: { question: 'May I write?' } },
    outputs: [],
  });
  const second = await answer('t1', { yes: [1, 2] });
  expect(second.body).toMatchObject({
    event_type: 'interrupt',
    interrupt: { value: { question: 'Who signs?', draft: 're: Dear Ana' } },
  });
  const last = await answer('t1', 'Bo');
  expect(last.body).toMatchObject({
    event_type: null,
    interrupt: null,
    message_id: first.body.message_id,
    workflow: 'letter',
    outputs: [
      { agent: 'writer', content: 're: Dear Ana {"yes":[1,2]} "Bo"' },
      { agent: 'closer', content: 're: re: Dear Ana' },
    ],
  });
  const { messages, runs } = await storedIn(service.folder);
  expect(messages.slice(-2).map(({ content, role }) => [role, content.slice(0, 8)])).toEqual([
    ['user', 'Dear Ana'],
    ['assistant', 'writer: '],
  ]);
  expect(runs.slice(-3).map(({ status }) => status)).toEqual(['interrupted', 'interrupted', 'succeeded']);
});

for (const value of [false, null, 0, '', [], [1, 2], {}, { lc: 1, type: 'constructor', id: ['x'] }])
  test(`the answer ${JSON.stringify(value)} reaches the agent unchanged`, async () => {
    const thread = `value-${JSON.stringify(value).replaceAll(/\W/g, '.')}`;
    await ask(thread);
    const { body } = await answer(thread, value);
    if (value === false || value === null) {
      expect(body.outputs[0].content).toBe(`refused: ${JSON.stringify(value)}`);
      return;
    }
    const last = await answer(thread, value);
    const text = JSON.stringify(value);
    expect(last.body.outputs[0].content).toBe(`re: Dear Ana ${text} ${text}`);
  });

test('a message to an interrupted thread is rejected with the interrupt, and nothing is stored', async () => {
  await ask('t2');
  const before = (await storedIn(service.folder)).runs.length;
  const { status, body } = await ask('t2');
  expect({ status, code: body.error_code }).toEqual({ status: 409, code: 'THREAD_BUSY' });
  expect(body.detail).toContain('May I write?');
  expect((await storedIn(service.folder)).runs).toHaveLength(before);
});

test('supersede discards the question, and the next turn does not see it', async () => {
  await ask('t3', { conversation_flow: 'classification-agent', user_prompt: 'first' });
  await ask('t3', { user_prompt: 'dropped' });
  const next = { conversation_flow: 'classification-agent', user_prompt: 'next' };
  expect((await ask('t3', { ...next, multitask_strategy: 'supersede' })).status).toBe(200);
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toEqual([
    'first',
    're: first',
    'next',
  ]);
  expect((await storedIn(service.folder)).runs.slice(-2).map(({ status }) => status)).toEqual([
    'cancelled',
    'succeeded',
  ]);
  expect((await answer('t3', true)).body.error_code).toBe('NOT_INTERRUPTED');
});

test('a thread that is unknown or has no interrupt cannot be resumed', async () => {
  await ask('t4', { conversation_flow: 'classification-agent' });
  expect(await answer('t4', 1)).toMatchObject({ status: 409, body: { error_code: 'NOT_INTERRUPTED' } });
  expect(await answer('nobody', 1)).toMatchObject({ status: 404, body: { error_code: 'THREAD_NOT_FOUND' } });
});

test('an answer without a value is rejected, and the question stays open', async () => {
  const interrupted = await ask('t4b');
  expect(await answer('t4b', undefined)).toMatchObject({
    status: 400,
    body: { error_code: 'INVALID_REQUEST', detail: "value: required, or 'values' by interrupt_id" },
  });
  const { body } = await service
    .fetch('/api/v1/threads/t4b')
    .then(async (one) => ({ body: await one.json() }));
  expect(body).toMatchObject({ status: 'interrupted', interrupt: interrupted.body.interrupt });
});

test('an answer whose run fails leaves the question open, and only the next answer counts', async () => {
  await ask('t5');
  provider.script = echoing({ answer: failure(400) });
  expect((await answer('t5', 'lost')).body.error_code).toBe('MODEL_CALL_FAILED');
  expect((await ask('t5')).body.detail).toContain('May I write?');
  provider.script = echoing();
  const second = await answer('t5', 'kept');
  expect(second.body.interrupt.value.question).toBe('Who signs?');
  provider.script = echoing({ answer: failure(400) });
  expect((await answer('t5', 'lost')).body.error_code).toBe('MODEL_CALL_FAILED');
  provider.script = echoing();
  const last = await answer('t5', 'Bo');
  expect(last.body.outputs[0].content).toBe('re: Dear Ana "kept" "Bo"');
});

test('an answer whose run was interrupted can be sent again, and its partial text is stored separately', async () => {
  await ask('t10');
  for (const word of ['one', 'two']) {
    const body = new ReadableStream({
      start(out) {
        const delta = { choices: [{ index: 0, delta: { content: word }, finish_reason: null }] };
        out.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ id: 'c', ...delta })}\n\n`));
      },
    });
    provider.script = () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const client = new AbortController();
    const response = await onceFree(() =>
      service.fetch('/api/v1/threads/t10/resume', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ value: true, stream: true }),
        signal: client.signal,
      }),
    );
    for await (const { event } of eventsOf(response)) if (event === 'token') break;
    client.abort();
    await until(async () => {
      const thread = (await (await service.fetch('/api/v1/threads/t10')).json()) as { status: string };
      return thread.status === 'interrupted';
    });
  }
  provider.script = echoing();
  await onceFree(() => answer('t10', 'yes'));
  const last = await answer('t10', 'Bo');
  expect(last.status).toBe(200);
  const listed = await (await service.fetch('/api/v1/threads/t10/messages')).json();
  const { messages } = listed as { messages: { content: string; status: string; message_id: string }[] };
  expect(messages.map(({ content, status }) => `${status} ${content.slice(0, 8)}`)).toEqual([
    ...['cancelled Dear Ana', 'cancelled one', 'cancelled Dear Ana', 'cancelled two'],
    ...['complete Dear Ana', 'complete writer: '],
  ]);
  expect(messages.at(-1)?.message_id).toBe(last.body.message_id);
});

test('a discarded question leaves the window unchanged', async () => {
  const small = await testService({
    graphs,
    env: providerEnv(provider.url),
    config: 'memory: {window_messages: 20, window_tokens: 100}',
  });
  const say = (user_prompt: string, more: object = {}) =>
    small.chat({ user_prompt, thread_id: 't', ...more });
  await say('a'.repeat(120));
  await say('b'.repeat(320), { conversation_flow: 'letter' });
  await say('c'.repeat(80), { multitask_strategy: 'supersede' });
  // 30 tokens each of the first question and its answer, 20 of this one: everything fits.
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toHaveLength(3);
  await small.close();
});

test('tokens and the budget are those of the whole turn', async () => {
  const first = await ask('t11');
  expect(first.body.token_count).toBe(0);
  expect((await answer('t11', 'yes')).body.token_count).toBe(30);
  const last = await answer('t11', 'Bo');
  // The writer's call is repeated with each answer.
  expect(last.body.token_count).toBe(90);
  await ask('t12', { max_tokens_budget: 50 });
  expect((await answer('t12', 'yes')).status).toBe(200);
  expect((await answer('t12', 'Bo')).body.error_code).toBe('BUDGET_EXCEEDED');
});

test('of two answers at the same moment, one is accepted', async () => {
  await ask('t6');
  const answers = await Promise.all([answer('t6', 'a'), answer('t6', 'b')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test('an answer with an idempotency key is applied once, however often it is sent', async () => {
  await ask('t7');
  const headers = { 'idempotency-key': 'answer-t7' };
  const first = await answer('t7', 'a', { headers });
  const again = await answer('t7', 'a', { headers });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  expect((await answer('t7', 'b', { headers })).body.error_code).toBe('IDEMPOTENCY_MISMATCH');
});

test('an answer with an idempotency key that is sent many times concurrently is applied once, and all requests get its response', async () => {
  for (let round = 0; round < 5; round++) {
    const thread = `t7-${round}`;
    await ask(thread);
    const headers = { 'idempotency-key': `answers-${round}` };
    const send = async (_: unknown, index: number) => {
      await Bun.sleep(index);
      return answer(thread, 'a', { headers });
    };
    const answers = await Promise.all(Array.from({ length: 6 }, send));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(1);
  }
});

test('resume streams like chat, with the interrupt before the response', async () => {
  const events = await allEvents(
    await service.fetch('/api/v1/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        user_prompt: 'Dear Ana',
        conversation_flow: 'letter',
        thread_id: 't8',
        stream: true,
      }),
    }),
  );
  expect(events.map(({ event }) => event)).toEqual(['run', 'agent', 'interrupt', 'response', 'end']);
  expect(events[2]?.data).toEqual(events[3]?.data.interrupt);
  const streamed = await service.fetch('/api/v1/threads/t8/resume', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value: true, stream: true }),
  });
  const kinds = (await allEvents(streamed)).map(({ event }) => event);
  expect(kinds.filter((kind) => kind !== 'token')).toEqual(['run', 'agent', 'interrupt', 'response', 'end']);
});

test('parallel agents are shown together and answered by the ids of their questions', async () => {
  const first = await ask('t9', { conversation_flow: 'pair' });
  const [left, right] = first.body.interrupts.toSorted(byAgent);
  expect([left, right]).toMatchObject([
    { agent: 'left', path: [], value: { from: 'left' } },
    { agent: 'right', path: [], value: { from: 'right' } },
  ]);
  expect(first.body.interrupt).toEqual({
    interrupt_id: first.body.interrupts[0].interrupt_id,
    value: first.body.interrupts[0].value,
  });
  const by = (values: object) => post('/api/v1/threads/t9/resume', { values });
  expect(await answer('t9', 1)).toMatchObject({ status: 409, body: { error_code: 'INTERRUPT_AMBIGUOUS' } });
  expect(await by({ unknown: 1 })).toMatchObject({
    status: 409,
    body: { error_code: 'INTERRUPT_NOT_FOUND' },
  });
  const second = await by({ [right.interrupt_id]: 2 });
  expect(second.body.interrupts).toMatchObject([{ interrupt_id: left.interrupt_id, agent: 'left' }]);
  const last = await by({ [left.interrupt_id]: 1 });
  expect(last.body).toMatchObject({ event_type: null, interrupts: [] });
  expect(last.body.outputs.map(({ content }: { content: string }) => content).toSorted()).toEqual([
    'left 1',
    'right 2',
  ]);
});

const byAgent = (a: { agent: string }, b: { agent: string }) => a.agent.localeCompare(b.agent);

async function post(path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await service.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  return { status: response.status, body: (await response.json()) as any };
}

test('a question survives restarts, and a turn that waits behind its answer is run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-interrupts-'));
  const first = await testService({ graphs, env: providerEnv(provider.url), folder });
  await ask('t', {}, first);
  await first.close();
  const second = await testService({ graphs, env: providerEnv(provider.url), folder });
  const drafting = Promise.withResolvers<void>();
  provider.script = echoing({ answer: () => drafting.promise.then(() => 'A draft.') });
  const going = answer('t', 'yes', { at: second });
  await until(() => provider.requests.length === 1);
  const waiting = second.chat({ user_prompt: 'later', thread_id: 't' });
  drafting.resolve();
  expect((await going).body.interrupt.value.draft).toBe('A draft.');
  expect((await waiting).body.error_code).toBe('THREAD_BUSY');
  expect((await answer('t', 'Bo', { at: second })).body.outputs[0].content).toBe('A draft. "yes" "Bo"');
  await second.close();
  rmSync(folder, { recursive: true });
});

/** The end of a run can be visible a moment before its slot in the thread's queue is free. */
async function onceFree<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  let answered = await ask();
  await until(async () => {
    if (answered.status === 409) answered = await ask();
    return answered.status !== 409;
  });
  return answered;
}
