/** Reload, stop and regenerate in a page, during a turn and after it, through the AI SDK's own package. */
import { expect, test } from 'bun:test';
import { heldAnswer } from '../../studio/held-answer.ts';
import { conversationOf } from '../support/calls.ts';
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
const seen = () => conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] });
const statuses = async (id: string) => {
  const { runs } = await read(`/api/v1/threads/${id}/runs`);
  return (runs as { status: string }[]).map(({ status }) => status);
};

test('a page that reconnects during a turn gets its message from the start', async () => {
  const { say, end, reply } = heldAnswer();
  provider.script = () => reply;
  const before = chatOf('echo', { id: 'reloaded' });
  void before.sendMessage({ text: 'hi' });
  say('Hello ');
  await until(() => textsOf(before).at(-1) === 'Hello');
  await before.stop();
  const after = chatOf('echo', { id: 'reloaded', messages: before.messages.slice(0, 1) });
  const done = after.resumeStream();
  await until(() => textsOf(after).at(-1) === 'Hello');
  say('there.');
  end();
  await done;
  expect(textsOf(after)).toEqual(['hi', 'Hello there.']);
  expect(after.messages.at(-1)?.id).toBe(before.messages.at(-1)?.id ?? '');
  expect(await statuses('reloaded')).toEqual(['succeeded']);
});

test('without an active run, there is nothing to resume', async () => {
  for (const id of ['reloaded', 'never-seen']) {
    const response = await service.fetch(`/ai/echo/${id}/stream`);
    expect([response.status, await response.text()]).toEqual([204, '']);
  }
  const unknown = await service.fetch('/ai/nothing/reloaded/stream');
  expect(unknown.status).toBe(404);
});

test('a message that continues after an answer is replayed as a whole', async () => {
  const before = chatOf('letter', { id: 'whole' });
  await before.sendMessage({ text: 'Write.' });
  const { say, end, reply } = heldAnswer();
  provider.script = () => reply;
  const [call] = pendingQuestions(before);
  void before.addToolOutput({ tool: 'resume', toolCallId: call?.toolCallId ?? '', output: 'yes' });
  say('Dear ');
  await until(() => textsOf(before).at(-1) === 'Dear');
  const after = chatOf('letter', { id: 'whole' });
  const done = after.resumeStream();
  await until(() => textsOf(after).at(-1) === 'Dear');
  say('Ann');
  end();
  await done;
  await until(() => before.status === 'ready');
  expect(textsOf(after)).toEqual(['Dear Ann "yes"']);
  expect(partsOf(after).map(({ type }) => type)).toEqual(partsOf(before).map(({ type }) => type));
  expect(partsOf(after)[1]).toMatchObject({ type: 'tool-resume', state: 'output-available', output: 'yes' });
});

test('stop cancels the run, and its stream ends without an error', async () => {
  const { say, reply } = heldAnswer();
  provider.script = () => reply;
  const chat = chatOf('echo', { id: 'stopped' });
  const done = chat.sendMessage({ text: 'hi' });
  say('Hello ');
  await until(() => textsOf(chat).at(-1) === 'Hello');
  const stopped = await service.fetch('/ai/echo/stopped/stop', { method: 'POST' });
  expect(stopped.status).toBe(204);
  await done;
  expect([chat.status, chat.error]).toEqual(['ready', undefined]);
  expect(textsOf(chat)).toEqual(['hi', 'Hello']);
  expect(await statuses('stopped')).toEqual(['cancelled']);
  expect((await service.fetch('/ai/echo/stopped/stop', { method: 'POST' })).status).toBe(204);
});

test('with on_disconnect, the run ends with its connection', async () => {
  const { say, reply } = heldAnswer();
  provider.script = () => reply;
  const chat = chatOf('echo', { id: 'plain' }, { body: { on_disconnect: 'cancel' } });
  void chat.sendMessage({ text: 'hi' });
  say('Hello ');
  await until(() => textsOf(chat).at(-1) === 'Hello');
  await chat.stop();
  await until(async () => (await statuses('plain'))[0] === 'cancelled');
});

test('a new message replaces a turn that the page no longer listens to', async () => {
  const { say, reply } = heldAnswer();
  provider.script = () => reply;
  const chat = chatOf('echo', { id: 'left' });
  void chat.sendMessage({ text: 'one' });
  say('Hello ');
  await until(() => textsOf(chat).at(-1) === 'Hello');
  await chat.stop();
  provider.script = () => 'Bye';
  await chat.sendMessage({ text: 'two' });
  expect(textsOf(chat)).toEqual(['one', 'Hello', 'two', 'Bye']);
  expect(seen()).toEqual(['two']);
  expect(await statuses('left')).toEqual(['succeeded', 'cancelled']);
});

test('a regenerated turn replaces the previous one', async () => {
  const chat = chatOf('echo', { id: 'again' });
  for (const text of ['one', 'two']) await chat.sendMessage({ text });
  provider.script = () => 'second try';
  await chat.regenerate();
  expect(textsOf(chat)).toEqual(['one', 're: one', 'two', 'second try']);
  expect(seen()).toEqual(['one', 're: one', 'two']);
  await chat.regenerate();
  expect(seen()).toEqual(['one', 're: one', 'two']);
  await chat.sendMessage({ text: 'three' });
  expect(seen()).toEqual(['one', 're: one', 'two', 'second try', 'three']);
  const [, first] = chat.messages;
  await chat.regenerate({ messageId: first?.id ?? '' });
  expect(seen()).toEqual(['one']);
  await chat.sendMessage({ text: 'four' });
  expect(seen()).toEqual(['one', 'second try', 'four']);
});

test('an edited question replaces what followed it', async () => {
  const chat = chatOf('echo', { id: 'changed' });
  for (const text of ['one', 'two', 'three']) await chat.sendMessage({ text });
  const changed = chat.messages[2]?.id ?? '';
  await chat.sendMessage({ text: 'zwei', messageId: changed });
  expect(textsOf(chat)).toEqual(['one', 're: one', 'zwei', 're: zwei']);
  expect(seen()).toEqual(['one', 're: one', 'zwei']);
});

test('a turn that waited for a person is regenerated from its start', async () => {
  const chat = chatOf('letter', { id: 'letter-again' });
  await chat.sendMessage({ text: 'Write.' });
  const [call] = pendingQuestions(chat);
  await chat.addToolOutput({ tool: 'resume', toolCallId: call?.toolCallId ?? '', output: 'yes' });
  await until(() => textsOf(chat).at(-1) === 're: Write. "yes"' && chat.status === 'ready');
  await chat.regenerate();
  expect(chat.error).toBeUndefined();
  expect(pendingQuestions(chat)).toHaveLength(1);
  const [again] = pendingQuestions(chat);
  await chat.addToolOutput({ tool: 'resume', toolCallId: again?.toolCallId ?? '', output: 'no' });
  await until(() => textsOf(chat).at(-1) === 're: Write. "no"');
  expect(seen()).toEqual(['Write.']);
});

test('if the run of an answer failed, the answer can be sent again', async () => {
  const chat = chatOf('letter', { id: 'failed-answer' });
  await chat.sendMessage({ text: 'Write.' });
  const works = provider.script;
  provider.script = () => Response.json({ error: { message: 'no' } }, { status: 400 });
  const [call] = pendingQuestions(chat);
  await chat.addToolOutput({ tool: 'resume', toolCallId: call?.toolCallId ?? '', output: 'yes' });
  await until(() => chat.status === 'error');
  provider.script = works;
  await chat.sendMessage();
  expect(chat.error).toBeUndefined();
  expect(textsOf(chat).at(-1)).toBe('re: Write. "yes"');
});
