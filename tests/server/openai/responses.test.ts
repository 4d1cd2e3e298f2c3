/** The Responses API with OpenAI's own JavaScript package. */
import { expect, test } from 'bun:test';
import OpenAI from 'openai';
import type { ResponseCreateParamsNonStreaming, ResponseInput } from 'openai/resources/responses/responses';
import type { ChatRequest } from '../../support/provider.ts';
import { conversationOf, echoing, failure } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { GRAPHS } from './graphs.ts';
import { temporaryThreads } from './temporary-threads.ts';

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);

const openai = () => new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'any', maxRetries: 2 });
const respond = (input: string | ResponseInput, more: Partial<ResponseCreateParamsNonStreaming> = {}) =>
  openai().responses.create({ model: 'echo', input, ...more });

/** The conversation in the model's last call. */
const seen = () => conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] });

async function streamed(input: string | ResponseInput, more: object = {}) {
  return Array.fromAsync(await openai().responses.create({ model: 'echo', input, stream: true, ...more }));
}

async function refused(call: Promise<unknown>) {
  const error = await call.catch((thrown) => thrown);
  const { status, code, param } = error as InstanceType<typeof OpenAI.APIError>;
  return { status, code, param };
}

test('a response is a run on a separate thread, and can be retrieved later', async () => {
  const response = await respond('one', { metadata: { topic: 'x' }, instructions: 'Be short.' });
  const threadId = response.metadata?.thread_id;
  expect(response).toMatchObject({
    ...{ object: 'response', status: 'completed', model: 'echo', output_text: 're: one', error: null },
    ...{ instructions: 'Be short.', store: true, background: false, previous_response_id: null },
    metadata: { topic: 'x', thread_id: threadId ?? '' },
    usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
    output: [{ type: 'message', role: 'assistant', status: 'completed' }],
  });
  expect(provider.requests[0]?.messages.map(({ content }) => content)).toEqual([
    ...['You are echo.', 'Be short.', 'one'],
  ]);
  expect(await openai().responses.retrieve(response.id)).toEqual({ ...response, _request_id: undefined });
  const items = await Array.fromAsync(openai().responses.inputItems.list(response.id));
  expect(items).toEqual([
    {
      ...{ id: expect.stringMatching(/^msg_/), type: 'message', role: 'user', status: 'completed' },
      content: [{ type: 'input_text', text: 'one' }],
    } as never,
  ]);
  const thread = await service.fetch(`/api/v1/threads/${threadId}`);
  expect(await thread.json()).toMatchObject({ title: 'one', message_count: 2 });
});

test('the newest response of a thread is continued there, and an older one on a fork', async () => {
  const first = await respond('one');
  const second = await respond('two', { previous_response_id: first.id });
  expect(seen()).toEqual(['one', 're: one', 'two']);
  expect(second).toMatchObject({
    previous_response_id: first.id,
    metadata: { thread_id: first.metadata?.thread_id },
  });
  const other = await respond('three', { previous_response_id: first.id });
  expect(seen()).toEqual(['one', 're: one', 'three']);
  expect(other.metadata?.thread_id).not.toBe(first.metadata?.thread_id);
  await respond('four', { previous_response_id: second.id });
  expect(seen()).toEqual(['one', 're: one', 'two', 're: two', 'four']);
  await respond('five', { previous_response_id: other.id });
  expect(seen()).toEqual(['one', 're: one', 'three', 're: three', 'five']);
});

test('of two concurrent continuations, one stays on the thread', async () => {
  const first = await respond('one');
  const both = await Promise.all(
    ['a', 'b'].map((input) => respond(input, { previous_response_id: first.id })),
  );
  const threads = both.map(({ metadata }) => metadata?.thread_id);
  expect(new Set(threads).size).toBe(2);
  expect(threads).toContain(first.metadata?.thread_id);
  for (const { messages } of provider.requests.slice(1)) expect(messages).toHaveLength(4);
});

test('a continuation of a running response waits for it, and a second one forks after it', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  provider.script = echoing({
    answer: async (request: ChatRequest) => held.then(() => `to ${request.messages.at(-1)?.content}`),
  });
  const first = await respond('one', { background: true });
  expect(first).toMatchObject({ status: 'in_progress', output: [], background: true });
  const second = await respond('two', { background: true, previous_response_id: first.id });
  expect(second.status).toBe('queued');
  const third = respond('three', { previous_response_id: first.id });
  await until(() => provider.requests.length === 1);
  // Meanwhile, the third one arrives and waits, too.
  for (let n = 0; n < 20; n++)
    expect((await openai().responses.retrieve(first.id)).status).toBe('in_progress');
  resolve();
  expect((await third).metadata?.thread_id).not.toBe(first.metadata?.thread_id);
  await until(async () => (await openai().responses.retrieve(second.id)).status === 'completed');
  expect((await openai().responses.retrieve(second.id)).metadata?.thread_id).toBe(first.metadata?.thread_id);
  const questions = provider.requests.map((request) => conversationOf(request));
  expect(questions).toContainEqual(['one', 'to one', 'two']);
  expect(questions).toContainEqual(['one', 'to one', 'three']);
});

test('a response keeps its state, however many responses follow', async () => {
  const first = await respond('first');
  let last = first;
  for (let n = 0; n < 25; n++) last = await respond(`n${n}`, { previous_response_id: last.id });
  await respond('again', { previous_response_id: first.id });
  expect(seen()).toEqual(['first', 're: first', 'again']);
}, 30_000);

test('without store nothing is kept, but it can continue from a response', async () => {
  const first = await respond('one');
  const before = await storedIn(service.folder);
  const response = await respond('two', { store: false, previous_response_id: first.id });
  expect(seen()).toEqual(['one', 're: one', 'two']);
  expect(response).toMatchObject({ output_text: 're: two', store: false, metadata: {} });
  expect(await storedIn(service.folder)).toEqual(before);
  expect(await refused(openai().responses.retrieve(response.id))).toMatchObject({ status: 404 });
  const input: ResponseInput = [
    { role: 'user', content: 'a' },
    ...(response.output as ResponseInput),
    { role: 'user', content: [{ type: 'input_text', text: 'b' }] },
  ];
  await streamed(input, { store: false });
  expect(seen()).toEqual(['a', 're: two', 'b']);
  expect(await storedIn(service.folder)).toEqual(before);
});

test('a conversation is a thread', async () => {
  const conversation = await openai().conversations.create({ metadata: { topic: 'x' } });
  expect(conversation).toMatchObject({ object: 'conversation', metadata: { topic: 'x' } });
  const response = await respond('one', { conversation: conversation.id });
  expect(response.conversation).toEqual({ id: conversation.id });
  expect(conversation.id).toBe(`conv_${response.metadata?.thread_id}`);
  await respond('two', { conversation: { id: conversation.id } });
  expect(seen()).toEqual(['one', 're: one', 'two']);
  await openai().conversations.update(conversation.id, { metadata: { topic: 'y' } });
  expect(await openai().conversations.retrieve(conversation.id)).toMatchObject({ metadata: { topic: 'y' } });
  expect(await openai().conversations.delete(conversation.id)).toMatchObject({
    ...{ id: conversation.id, object: 'conversation.deleted', deleted: true },
  });
  const notFound = { status: 404, code: 'THREAD_NOT_FOUND' };
  expect(await refused(openai().conversations.retrieve(conversation.id))).toMatchObject(notFound);
  expect(await refused(respond('three', { conversation: conversation.id }))).toMatchObject(notFound);
  expect(await refused(openai().responses.retrieve(response.id))).toMatchObject({ status: 404 });
});

test('a stream has each item and its text, numbered without gaps, and can be read again', async () => {
  const events = await streamed('Hello there');
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const types = events.map(({ type }) => type);
  expect([...new Set(types)]).toEqual([
    ...(['response.created', 'response.in_progress', 'response.output_item.added'] as const),
    ...(['response.content_part.added', 'response.output_text.delta'] as const),
    ...(['response.output_text.done', 'response.content_part.done'] as const),
    ...(['response.output_item.done', 'response.completed'] as const),
  ]);
  const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
  expect(text.join('')).toBe('re: Hello there');
  const last = events.at(-1);
  if (last?.type !== 'response.completed') throw new Error('not completed');
  const { output, usage } = await openai().responses.retrieve(last.response.id);
  expect({ output: last.response.output, usage: last.response.usage }).toEqual({ output, usage });
  const again = await openai().responses.retrieve(last.response.id, { stream: true });
  expect(await Array.fromAsync(again)).toEqual(events);
  const rest = await openai().responses.retrieve(last.response.id, { stream: true, starting_after: 3 });
  expect(await Array.fromAsync(rest)).toEqual(events.slice(4));
});

test("the package's helper collects a stream", async () => {
  const stream = openai().responses.stream({ model: 'classification-agent', input: 'My pedal is broken' });
  const response = await stream.finalResponse();
  expect(response.output_text).toStartWith('classification_agent: ');
  expect(response.output_text).toEndWith('support_responder: re: My pedal is broken');
});

test('a background response continues without its client, and can be streamed live', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  provider.script = echoing({ answer: async () => held.then(() => 'late') });
  const stream = await openai().responses.create({
    ...{ model: 'echo', input: 'hi', background: true, stream: true },
  });
  let id = '';
  for await (const event of stream) {
    if (event.type === 'response.created') id = event.response.id;
    if (event.type === 'response.in_progress') break;
  }
  const follow = Array.fromAsync(await openai().responses.retrieve(id, { stream: true, starting_after: 1 }));
  resolve();
  expect((await follow).at(-1)).toMatchObject({
    type: 'response.completed',
    response: { id, status: 'completed', background: true },
  });
});

test('a response can be cancelled and deleted', async () => {
  provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
  const { id } = await respond('hi', { background: true });
  await until(() => provider.requests.length === 1);
  expect(await openai().responses.cancel(id)).toMatchObject({ id, status: 'cancelled', error: null });
  expect((await openai().responses.retrieve(id)).status).toBe('cancelled');
  await openai().responses.delete(id);
  expect(await refused(openai().responses.retrieve(id))).toEqual({
    ...{ status: 404, code: 'RUN_NOT_FOUND', param: null },
  });
  const running = await respond('hi', { background: true });
  await openai().responses.delete(running.id);
  await until(() => provider.aborted === 2);
});

test("a workflow's question is a call of resume, and its output answers it", async () => {
  const model = 'letter';
  const asks = await respond('Dear Ana', { model });
  const [call] = asks.output;
  if (call?.type !== 'function_call') throw new Error('no call');
  expect(call).toMatchObject({ name: 'resume', arguments: '{"question":"May I write?"}' });
  expect(asks).toMatchObject({ status: 'completed', output_text: '' });
  const output: ResponseInput = [
    { type: 'function_call_output', call_id: call.call_id, output: '{"ok":true}' },
  ];
  expect(await refused(respond('again', { model, previous_response_id: asks.id }))).toMatchObject({
    ...{ status: 409, code: 'THREAD_BUSY' },
  });
  expect(await refused(respond(output, { model }))).toMatchObject({ status: 400, param: 'input' });
  const events = await streamed(output, { model, previous_response_id: asks.id });
  const last = events.at(-1);
  if (last?.type !== 'response.completed') throw new Error('not completed');
  expect(last.response).toMatchObject({
    previous_response_id: asks.id,
    output: [{ type: 'message', content: [{ text: 're: Dear Ana {"ok":true}' }] }],
  });
  expect(await refused(respond(output, { model, previous_response_id: asks.id }))).toMatchObject({
    ...{ status: 409, code: 'NOT_INTERRUPTED' },
  });
  await respond('more', { previous_response_id: last.response.id });
  expect(seen()).toEqual(['Dear Ana', 're: Dear Ana', 'more']);
});

test('a question of a response that is not stored is rejected', async () => {
  const options = { model: 'letter', store: false };
  const asks = { status: 400, code: 'INVALID_REQUEST', param: 'store' };
  expect(await refused(respond('Dear Ana', options))).toEqual(asks);
  expect(await refused(streamed('Dear Ana', options))).toMatchObject({ code: 'INVALID_REQUEST' });
  await until(async () => (await temporaryThreads(service.folder)) === 0);
});

test('each answer names its thread in a header, also errors', async () => {
  const response = await respond('Dear Ana', { model: 'letter' });
  const thread = response.metadata?.thread_id ?? '';
  const headers = async (path: string, init: RequestInit = {}) =>
    (await service.fetch(`/v1/responses${path}`, init)).headers.get('x-thread-id');
  expect(await headers(`/${response.id}`)).toBe(thread);
  expect(await headers(`/${response.id}?stream=true`)).toBe(thread);
  expect(await headers(`/${response.id}/cancel`, { method: 'POST' })).toBe(thread);
  const busy = await service.fetch('/v1/chat/completions', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json', 'x-thread-id': 'named' } },
    body: JSON.stringify({ model: 'nothing', messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect([busy.status, busy.headers.get('x-thread-id')]).toEqual([404, null]);
  provider.script = echoing({ answer: () => failure(400) });
  const failed = await service.fetch('/v1/chat/completions', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json', 'x-thread-id': 'named' } },
    body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect([failed.status, failed.headers.get('x-thread-id')]).toEqual([500, 'named']);
});

test('a failure is an error with our code, and ends the stream', async () => {
  provider.script = echoing({ answer: () => failure(400) });
  expect(await refused(respond('hi'))).toMatchObject({ status: 500, code: 'MODEL_CALL_FAILED' });
  const last = (await streamed('hi')).at(-1);
  if (last?.type !== 'response.failed') throw new Error('not failed');
  expect(last.response).toMatchObject({ status: 'failed', error: { code: 'MODEL_CALL_FAILED' } });
  expect(await refused(respond('more', { previous_response_id: last.response.id }))).toMatchObject({
    ...{ status: 404, code: 'CHECKPOINT_NOT_FOUND' },
  });
});

test.each([
  [{ tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }] }, 400, 'tools'],
  [{ text: { format: { type: 'json_object' } } }, 400, 'text'],
  [{ top_logprobs: 2 }, 400, 'top_logprobs'],
  [{ background: true, store: false }, 400, 'background'],
  [{ previous_response_id: 'resp_none' }, 404, 'previous_response_id'],
  [{ conversation: 'conv_none' }, 404, 'conversation'],
  [{ conversation: 'conv_none', previous_response_id: 'resp_none' }, 400, 'conversation'],
  [{ input: [{ role: 'assistant', content: 'x' }] }, 400, 'input'],
  [{ input: [{ type: 'item_reference', id: 'x' }] }, 400, 'input'],
  [{ model: 'nothing' }, 404, 'model'],
])('%j is rejected', async (more, status, param) => {
  const call = openai().post('/responses', { body: { model: 'echo', input: 'hi', ...more } });
  expect(await refused(call)).toMatchObject({ status, param });
});
