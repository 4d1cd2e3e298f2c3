/** A chat with a workflow through the AI SDK's own package. */
import { expect, test } from 'bun:test';
import { heldAnswer } from '../../studio/held-answer.ts';
import { conversationOf, failure } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';
import { chatWith, partsOf, pendingQuestions, textsOf } from './chats.ts';
import { GRAPHS } from './graphs.ts';

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
const read = async (path: string): Promise<any> => (await service.fetch(path)).json();

type Init = Parameters<typeof chatWith>[1];
type Transport = Parameters<typeof chatWith>[2];
const chatOf = (workflow: string, init?: Init, transport?: Transport) =>
  chatWith(`${service.url}/ai/${workflow}`, init, transport);
const seenBy = (index: number) => conversationOf(provider.requests.at(index) ?? never);
const never = { model: '', messages: [] };
const runsOf = async (id: string) => {
  const { runs } = await read(`/api/v1/threads/${id}/runs`);
  return runs as { run_id: string; status: string }[];
};

test('a chat is a thread and remembers earlier messages', async () => {
  const chat = chatOf('echo', { id: 'kept' });
  await chat.sendMessage({ text: 'one' });
  await chat.sendMessage({ text: 'two' });
  expect(chat.error).toBeUndefined();
  expect(textsOf(chat)).toEqual(['one', 're: one', 'two', 're: two']);
  expect(seenBy(-1)).toEqual(['one', 're: one', 'two']);
  const thread = await (await service.fetch('/api/v1/threads/kept')).json();
  expect(thread).toMatchObject({ workflow: 'echo', message_count: 4 });
  const { messages } = await read('/api/v1/threads/kept/messages');
  const [run] = await runsOf('kept');
  expect(chat.messages.at(-1)).toMatchObject({
    id: messages.at(-1).message_id,
    metadata: { thread_id: 'kept', run_id: run?.run_id, token_count: 30, model: 'test-model' },
  });
});

test("the stream has the AI SDK's format", async () => {
  const body = { id: 'raw', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hi' }] }] };
  const response = await service.fetch('/ai/echo', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
  const lines = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: '));
  expect(lines.pop()).toBe('data: [DONE]');
  const types = lines.map((line) => JSON.parse(line.slice(6)).type);
  expect(types[0]).toBe('start');
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
  ]);
});

test('the answer is the text of several agents, and streams as it is generated', async () => {
  const chat = chatOf('classification-agent', { id: 'several' });
  const { say, end, reply } = heldAnswer();
  const echo = provider.script;
  provider.script = (request, index) => (request.response_format ? echo(request, index) : reply);
  const done = chat.sendMessage({ text: 'My pedal is broken' });
  say('Stop ');
  await until(() => textsOf(chat).at(-1)?.endsWith('support_responder: Stop') === true);
  say('it.');
  end();
  await done;
  const { messages } = await read('/api/v1/threads/several/messages');
  expect(textsOf(chat).at(-1)).toBe(messages[1].content);
  expect(textsOf(chat).at(-1)).toEndWith('\n\nsupport_responder: Stop it.');
});

test("a model's reasoning precedes the text", async () => {
  const chat = chatOf('echo', { id: 'thinking' });
  for (const field of ['reasoning_content', 'reasoning']) {
    const { say, end, reply } = heldAnswer();
    provider.script = () => reply;
    const done = chat.sendMessage({ text: 'hi' });
    say({ [field]: 'Well, ' });
    await until(() => partsOf(chat).some((part) => part.type === 'reasoning' && part.text === 'Well, '));
    say({ [field]: 'yes.' });
    say('Hello');
    end();
    await done;
    expect(partsOf(chat)).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Well, yes.', state: 'done' },
      { type: 'text', text: 'Hello', state: 'done' },
    ]);
  }
  expect(seenBy(-1)).toEqual(['hi', 'Hello', 'hi']);
});

test('a file in the message is a content block', async () => {
  const url = 'data:image/png;base64,AA==';
  const files = [{ type: 'file' as const, mediaType: 'image/png', url }];
  const chat = chatOf('seen');
  await chat.sendMessage({ text: 'What is it?', files });
  const content = [
    { type: 'image_url', image_url: { url } },
    { type: 'text', text: 'What is it?' },
  ];
  expect(textsOf(chat).at(-1)).toBe(`saw user ${JSON.stringify(content)}`);
});

test('data of nodes are parts of the message, or transient', async () => {
  const received: unknown[] = [];
  const chat = chatOf('data', { onData: (part) => received.push(part) });
  await chat.sendMessage({ text: 'go' });
  expect(partsOf(chat)).toMatchObject([
    { type: 'step-start' },
    { type: 'data-custom', data: { step: 1 } },
    { type: 'data-weather', id: 'rome', data: { degrees: 21 } },
    { type: 'text', text: 'told', state: 'done' },
  ]);
  expect(received).toContainEqual(expect.objectContaining({ type: 'data-hint', data: 'soon over' }));
});

test('an interrupt is a call of resume, and its output continues the same message', async () => {
  const chat = chatOf('letter', { id: 'letter' });
  await chat.sendMessage({ text: 'Write.' });
  const [call] = pendingQuestions(chat);
  expect(call?.input).toEqual({ question: 'May I write?' });
  const [id] = chat.messages.slice(-1).map((message) => message.id);
  await chat.addToolOutput({ tool: 'resume', toolCallId: call?.toolCallId ?? '', output: { yes: true } });
  await until(() => textsOf(chat).at(-1)?.endsWith('{"yes":true}') === true && chat.status === 'ready');
  expect(textsOf(chat)).toEqual(['Write.', 're: Write. {"yes":true}']);
  expect(chat.messages.at(-1)?.id).toBe(id);
  expect(pendingQuestions(chat)).toEqual([]);
  await chat.sendMessage({ text: 'Thanks' });
  expect(chat.error).toBeUndefined();
});

test('all questions of a turn can be answered, together or one by one', async () => {
  const pair = chatOf('pair');
  await pair.sendMessage({ text: 'Ask.' });
  for (const { toolCallId, input } of pendingQuestions(pair))
    await pair.addToolOutput({ tool: 'resume', toolCallId, output: input });
  await until(() => textsOf(pair).at(-1) !== '' && pair.status === 'ready');
  expect(textsOf(pair).at(-1)).toContain('left: left {"from":"left"}');
  expect(textsOf(pair).at(-1)).toContain('right: right {"from":"right"}');

  const twice = chatOf('twice');
  await twice.sendMessage({ text: 'Ask.' });
  for (const question of ['first?', 'second?']) {
    await until(
      () => pendingQuestions(twice).some(({ input }) => input === question) && twice.status === 'ready',
    );
    const [call] = pendingQuestions(twice);
    await twice.addToolOutput({ tool: 'resume', toolCallId: call?.toolCallId ?? '', output: `${question}!` });
  }
  await until(() => textsOf(twice).at(-1) === 'first?! and second?!');
  const outputs = partsOf(twice).flatMap((part) => ('output' in part ? [part.output] : []));
  expect(outputs).toEqual(['first?!', 'second?!']);
});

test.each([
  ['yes', 'I would delete it.done'],
  ['no', 'I would delete it.'],
])('what a graph says before it asks is shown once, also if the answer is %s', async (output, shown) => {
  const chat = chatOf('planned');
  await chat.sendMessage({ text: 'Delete it.' });
  expect(textsOf(chat)).toEqual(['Delete it.', 'I would delete it.']);
  const [call] = pendingQuestions(chat);
  await chat.addToolOutput({ tool: 'resume', toolCallId: call?.toolCallId ?? '', output });
  await until(() => chat.status === 'ready' && pendingQuestions(chat).length === 0);
  await until(() => textsOf(chat).at(-1) === shown);
});

test('a stopped graph continues with any output', async () => {
  const chat = chatOf('stops');
  await chat.sendMessage({ text: 'go' });
  const [call] = pendingQuestions(chat);
  expect(call?.input).toMatchObject({ stopped_at: [{ agent: 'end', when: 'before' }] });
  await chat.addToolOutput({ tool: 'resume', toolCallId: call?.toolCallId ?? '', output: null });
  await until(() => textsOf(chat).at(-1) === 'went on');
});

test('an answer that is sent again does not answer the next question', async () => {
  const bodies: string[] = [];
  const recording: typeof fetch = Object.assign(
    (url: string | URL | Request, init?: RequestInit) => {
      bodies.push(String(init?.body));
      return fetch(url, init);
    },
    { preconnect: fetch.preconnect },
  );
  const chat = chatOf('twice', {}, { fetch: recording });
  await chat.sendMessage({ text: 'Ask.' });
  const [call] = pendingQuestions(chat);
  await chat.addToolOutput({ tool: 'resume', toolCallId: call?.toolCallId ?? '', output: 'once' });
  await until(() => pendingQuestions(chat)[0]?.input === 'second?' && chat.status === 'ready');
  const again = await service.fetch('/ai/twice', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: bodies.at(-1) ?? '',
  });
  expect(again.status).toBe(409);
  expect(await again.text()).toContain("no output of a pending 'resume' call");
});

test('a new message instead of an answer abandons the question', async () => {
  const chat = chatOf('letter');
  await chat.sendMessage({ text: 'Write.' });
  await chat.sendMessage({ text: 'Something else.' });
  expect(chat.error).toBeUndefined();
  expect(pendingQuestions(chat)).toHaveLength(1);
});

test('a failed turn is an error, and leaves nothing behind', async () => {
  const chat = chatOf('echo', { id: 'failed' });
  provider.script = () => failure(400);
  await chat.sendMessage({ text: 'one' });
  expect(chat.status).toBe('error');
  expect(chat.error?.message).toContain('The language model call failed');
  provider.script = () => 'better';
  await chat.regenerate();
  expect(textsOf(chat)).toEqual(['one', 'better']);
  expect(seenBy(-1)).toEqual(['one']);
});

test('a rejected request is answered with a sentence', async () => {
  const chat = chatOf('nothing');
  await chat.sendMessage({ text: 'one' });
  expect(chat.error).toMatchObject({ statusCode: 404 });
  expect(chat.error?.message).toContain('Workflow not found');
  const empty = chatOf('echo');
  await empty.sendMessage({ text: ' ' });
  expect(empty.error).toMatchObject({ statusCode: 400 });
  expect(empty.error?.message).toContain('the last message is empty');
});

test.each([
  { type: 'file', mediaType: 'image/png' },
  { type: 'file', mediaType: { toString: 1 }, url: 'data:image/png;base64,AA==' },
])('an incomplete file is rejected: %j', async (file) => {
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Look.' }, file] }];
  const response = await service.fetch('/ai/seen', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'incomplete', messages }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('a file part requires url and mediaType');
});
