/** Chat completions with OpenAI's own JavaScript package. */
import { expect, test } from 'bun:test';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources';
import { chunk, eventStream, opening } from '../../support/provider.ts';
import { conversationOf, echoing, failure } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { GRAPHS } from './graphs.ts';
import { temporaryThreads } from './temporary-threads.ts';

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);

const openai = () => new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'any', maxRetries: 2 });
const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content });
const onThread = (thread_id: string) => ({ metadata: { thread_id } });

const complete = (model: string, messages: ChatCompletionMessageParam[], more: object = {}) =>
  openai().chat.completions.create({ model, messages, ...more });

async function streamed(model: string, messages: ChatCompletionMessageParam[], more: object = {}) {
  const stream = await openai().chat.completions.create({ model, messages, stream: true, ...more });
  return Array.fromAsync(stream);
}

type Chunks = Awaited<ReturnType<typeof streamed>>;
const textOf = (chunks: Chunks) => chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

async function refused(call: Promise<unknown>) {
  const error = await call.catch((thrown) => thrown);
  const { status, code, param, type } = error as InstanceType<typeof OpenAI.APIError>;
  return { status, code, param, type };
}

test('the models are the workflows', async () => {
  const all = await Array.fromAsync(openai().models.list());
  expect(all.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['classification-agent', 'echo', 'letter', 'seen']),
  );
  expect(await openai().models.retrieve('classification_agent')).toEqual({
    ...{ id: 'classification-agent', object: 'model', owned_by: 'core' },
    created: expect.any(Number),
  });
  const unknown = { status: 404, code: 'model_not_found', param: 'model', type: 'invalid_request_error' };
  expect(await refused(openai().models.retrieve('nothing'))).toEqual(unknown);
  expect(await refused(complete('nothing', [user('hi')]))).toEqual(unknown);
});

test('without a thread, the messages are the whole conversation, and nothing is stored', async () => {
  const messages: ChatCompletionMessageParam[] = [
    { role: 'developer', content: 'Be short.' },
    user('one'),
    { role: 'assistant', content: 'uno' },
    { role: 'user', content: [{ type: 'text', text: 'two' }] },
  ];
  const before = await storedIn(service.folder);
  const answer = await complete('echo', messages, { temperature: 0.7, user: 'ann' });
  expect(answer).toMatchObject({
    ...{ object: 'chat.completion', model: 'echo' },
    choices: [{ index: 0, message: { role: 'assistant', content: 're: two' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
  });
  expect(answer).not.toHaveProperty('metadata');
  expect(provider.requests[0]?.messages.map(({ role, content }) => `${role} ${content}`)).toEqual([
    ...['system You are echo.', 'system Be short.', 'user one', 'assistant uno', 'user two'],
  ]);
  expect(await storedIn(service.folder)).toEqual(before);
  expect(textOf(await streamed('echo', messages))).toBe('re: two');
  expect(await storedIn(service.folder)).toEqual(before);
});

test('a graph with messages starts with those of the conversation, including images', async () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA==' } };
  const { choices } = await complete('seen', [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] },
  ]);
  expect(choices[0]?.message.content).toBe(
    `saw system "Be short."; user ${JSON.stringify([{ type: 'text', text: 'What is it?' }, image])}`,
  );
  expect(await refused(complete('echo', [{ role: 'user', content: [image] }]))).toMatchObject({
    ...{ status: 400, code: 'INVALID_WORKFLOW_INPUT', param: 'messages' },
  });
});

test('on a thread, the last message is a turn, and the thread keeps the history', async () => {
  const first = await complete('echo', [user('one')], onThread('kept'));
  expect(first).toMatchObject({ metadata: { thread_id: 'kept' } });
  const response = await openai()
    .chat.completions.create(
      { model: 'echo', messages: [user('ignored'), user('two')] },
      { headers: { 'X-Thread-Id': 'kept' } },
    )
    .asResponse();
  expect(response.headers.get('x-thread-id')).toBe('kept');
  expect(await response.json()).toMatchObject({ metadata: { thread_id: 'kept' } });
  expect(conversationOf(provider.requests.at(-1) ?? never)).toEqual(['one', 're: one', 'two']);
  const thread = await (await service.fetch('/api/v1/threads/kept')).json();
  expect(thread).toMatchObject({ workflow: 'echo', message_count: 4 });
});

test('the chunks are the content, also of several agents, and the usage comes last', async () => {
  const more = { ...onThread('pieces'), stream_options: { include_usage: true } };
  const chunks = await streamed('classification-agent', [user('My pedal is broken')], more);
  const response = await complete('classification-agent', [user('My pedal is broken')]);
  expect(textOf(chunks)).toBe(response.choices[0]?.message.content ?? '');
  expect(textOf(chunks)).toStartWith('classification_agent: ');
  expect(textOf(chunks)).toContain('\n\nsupport_responder: re: My pedal is broken');
  expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 },
  });
  for (const chunk of chunks) expect(chunk).toMatchObject({ metadata: { thread_id: 'pieces' } });
  expect(await (await service.fetch('/api/v1/threads/pieces/messages')).json()).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant', content: textOf(chunks) }],
  });
});

test('the text streams as it is generated', async () => {
  const { promise: firstChunk, resolve } = Promise.withResolvers<void>();
  const head = { id: 'c', created: 1, model: 'm' };
  const choice = (delta: object, finish_reason: string | null = null) =>
    chunk(head, { choices: [{ index: 0, delta, finish_reason }] });
  async function* speech() {
    yield opening(head) + choice({ content: 'Hello ' });
    await firstChunk;
    yield `${choice({ content: 'there' }) + choice({}, 'stop')}data: [DONE]\n\n`;
  }
  provider.script = () => eventStream(speech() as unknown as ReadableStream);
  const deltas: string[] = [];
  const stream = await openai().chat.completions.create({
    model: 'echo',
    messages: [user('hi')],
    stream: true,
  });
  for await (const { choices } of stream) {
    const text = choices[0]?.delta.content ?? '';
    if (text !== '') deltas.push(text);
    if (text === 'Hello') resolve();
  }
  expect(deltas).toEqual(['Hello', ' there']);
});

test("a workflow's question is a call of the function resume, and a tool message answers it", async () => {
  const thread = onThread('asks');
  const { choices } = await complete('letter', [user('Dear Ana')], thread);
  const [call] = choices[0]?.message.tool_calls ?? [];
  expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
  expect(call).toMatchObject({ type: 'function', function: { name: 'resume' } });
  if (call?.type !== 'function') throw new Error('no call');
  expect(JSON.parse(call.function.arguments)).toEqual({ question: 'May I write?' });
  expect(await refused(complete('letter', [user('again')], thread))).toMatchObject({ code: 'THREAD_BUSY' });
  const wrong = { role: 'tool' as const, tool_call_id: 'other', content: 'true' };
  expect(await refused(complete('letter', [wrong], thread))).toMatchObject({ code: 'INTERRUPT_NOT_FOUND' });
  const assistant = { role: 'assistant' as const, tool_calls: [call] };
  const answer = { role: 'tool' as const, tool_call_id: call.id, content: '{"ok":true}' };
  const chunks = await streamed('letter', [user('Dear Ana'), assistant, answer], thread);
  expect(textOf(chunks)).toBe('re: Dear Ana {"ok":true}');
  expect(await refused(complete('letter', [assistant, answer], thread))).toMatchObject({
    code: 'NOT_INTERRUPTED',
  });
});

test('several questions are several calls, and an answer that is not JSON is text', async () => {
  const chunks = await streamed('pair', [user('Ask')], onThread('pair'));
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  expect(calls.map((call) => [call.index, call.function?.arguments])).toEqual([
    [0, '{"from":"left"}'],
    [1, '{"from":"right"}'],
  ]);
  const answers = calls.map(({ id = '' }) => ({ role: 'tool' as const, tool_call_id: id, content: 'go on' }));
  const { choices } = await complete('pair', answers, onThread('pair'));
  expect(choices[0]?.message.content).toBe('left: left "go on"\n\nright: right "go on"');
});

test('an interrupt on a request without a thread is rejected', async () => {
  const asks = { status: 400, code: 'INVALID_REQUEST', param: 'metadata.thread_id' };
  expect(await refused(complete('letter', [user('Dear Ana')]))).toMatchObject(asks);
  expect(await refused(streamed('letter', [user('Dear Ana')]))).toMatchObject({ code: 'INVALID_REQUEST' });
  await until(async () => (await temporaryThreads(service.folder)) === 0);
});

test.each([
  ['n', 2],
  ['tools', [{ type: 'function', function: { name: 'f', parameters: {} } }]],
  ['response_format', { type: 'json_object' }],
  ['logprobs', true],
  ['audio', { voice: 'alloy', format: 'mp3' }],
  ['modalities', ['text', 'audio']],
])('%s is rejected, because it would change the meaning of the answer', async (param, value) => {
  expect(await refused(complete('echo', [user('hi')], { [param]: value }))).toEqual({
    ...{ status: 400, code: 'INVALID_REQUEST', type: 'invalid_request_error', param },
  });
});

test('parameters without an effect and sampling parameters are accepted', async () => {
  const more = {
    ...{
      n: 1,
      tools: [],
      response_format: { type: 'text' },
      logprobs: false,
      modalities: ['text'],
      stop: null,
    },
    ...{ top_p: 0.2, seed: 7, presence_penalty: 1, max_tokens: 5, tool_choice: 'auto', store: true },
  };
  expect((await complete('echo', [user('hi')], more)).choices[0]?.message.content).toBe('re: hi');
});

test('max_completion_tokens lowers the token budget', async () => {
  expect(await refused(complete('echo', [user('hi')], { max_completion_tokens: 3 }))).toMatchObject({
    ...{ status: 500, code: 'BUDGET_EXCEEDED' },
  });
  expect(provider.requests).toHaveLength(0);
});

test('the package does not retry a failed run', async () => {
  provider.script = echoing({ answer: () => failure(400) });
  const failed = { status: 500, code: 'MODEL_CALL_FAILED', type: 'server_error', param: null };
  expect(await refused(complete('echo', [user('hi')]))).toEqual(failed);
  expect(provider.requests).toHaveLength(1);
  expect(await refused(streamed('echo', [user('hi')]))).toMatchObject({ code: 'MODEL_CALL_FAILED' });
});

test.each([
  [{ messages: [user('hi')], metadata: { thread_id: 'a b' } }, 'metadata.thread_id'],
  [{ messages: [{ role: 'assistant', content: 'hi' }] }, 'messages'],
  [{ messages: [user(' ')] }, 'messages'],
  [{ messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }, 'messages'],
  [{ messages: [] }, 'messages'],
  [{ messages: [{ role: 'robot', content: 'hi' }] }, 'messages.0.role'],
])('%j is rejected', async (body, param) => {
  const call = openai().post('/chat/completions', { body: { model: 'echo', ...body } });
  expect(await refused(call)).toMatchObject({ status: 400, code: 'INVALID_REQUEST', param });
});

test('a client that disconnects cancels its turn, which leaves nothing behind', async () => {
  provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
  for (const stream of [false, true]) {
    const client = new AbortController();
    const call = openai()
      .chat.completions.create({ model: 'echo', messages: [user('hi')], stream }, { signal: client.signal })
      .then(async (answer) => 'choices' in answer || (await Array.fromAsync(answer)));
    await until(() => provider.requests.length === 1);
    client.abort();
    await call.catch(() => {});
    await until(() => provider.aborted === 1, 1_000);
    await until(async () => (await temporaryThreads(service.folder)) === 0);
    provider.requests.length = 0;
    provider.aborted = 0;
  }
});

test('callers that disconnect at any moment leave nothing behind', async () => {
  provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
  const calls = Array.from({ length: 60 }, async (_, milliseconds) => {
    const body = { model: 'echo', messages: [user('hi')], stream: true };
    const signal = AbortSignal.timeout(milliseconds * 4);
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
    const response = await service.fetch('/v1/chat/completions', init).catch(() => undefined);
    await response?.text().catch(() => {});
  });
  await Promise.all(calls);
  await until(async () => (await temporaryThreads(service.folder)) === 0, 10_000);
}, 20_000);

test('on a thread, the same key and body are one turn', async () => {
  const completeOnce = () =>
    openai().chat.completions.create(
      { model: 'echo', messages: [user('once')], ...onThread('once') },
      { headers: { 'Idempotency-Key': 'k1' } },
    );
  const [first, second] = [await completeOnce(), await completeOnce()];
  expect(second.id).toBe(first.id);
  expect(provider.requests).toHaveLength(1);
});

const never = { model: '', messages: [] };
