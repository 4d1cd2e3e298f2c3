/** The event-streaming protocol over a WebSocket: LangGraph's own client, and requests that no client sends. */
import { expect, onTestFinished, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { servedApp } from '../../http-app/served-app.ts';
import { runningProvider, runningService } from '../../support/running.ts';
import { until } from '../../support/until.ts';
import { GRAPHS } from './graphs.ts';
import { ALL, command, type ReceivedEvent, root } from './thread-events.ts';

const APP = `
import { Hono } from 'hono';
export const app = new Hono().use(async (c, next) => {
  if (c.req.path.includes('closed')) return c.text('closed', 403);
  await next();
  c.header('x-after', 'true');
});`;

const service = runningService(runningProvider(), '', GRAPHS);
const stream = (assistantId: string) =>
  new Client({ apiUrl: service.url, apiKey: null }).threads.stream({
    assistantId,
    transport: 'websocket',
  } as never);

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
type Message = any;

async function connected(thread: string, headers: Record<string, string> = {}, { url: at } = service) {
  const url = `${at.replace('http', 'ws')}/threads/${thread}/stream/events`;
  const socket = new WebSocket(url, { headers } as never);
  onTestFinished(() => socket.close());
  const messages: Message[] = [];
  const state = { code: 0 };
  socket.onmessage = ({ data }) => messages.push(JSON.parse(data as string));
  socket.onclose = ({ code }) => {
    state.code = code;
  };
  const opened = Promise.withResolvers<boolean>();
  socket.onopen = () => opened.resolve(true);
  socket.onerror = () => opened.resolve(false);
  return {
    isOpen: await opened.promise,
    ...{ socket, messages, state },
    events: () => messages.filter(({ type }) => type === 'event') as ReceivedEvent[],
    async ask(id: number, method: string, params: object = {}): Promise<Message> {
      socket.send(JSON.stringify({ id, method, params }));
      await until(() => messages.some((one) => one.id === id));
      return messages.find((one) => one.id === id);
    },
  };
}

test('a run streams over a WebSocket, and its interrupt is answered', async () => {
  const thread = stream('asker');
  const { values } = thread;
  await thread.run.start({ input: { request: 'x' } });
  await until(() => thread.interrupts.length === 1 && thread.interrupted);
  for await (const state of values) expect(state).toEqual({ request: 'x', answers: [] });
  const first = thread.interrupts[0]?.interruptId ?? '';
  await thread.input.respond({ namespace: [], interrupt_id: first, response: 'a' });
  await until(() => thread.interrupts.length === 1 && thread.interrupts[0]?.interruptId !== first);
  expect((await thread.state.get({ namespace: [] })).values).toEqual({ request: 'x', answers: ['a'] });
  await thread.close();
});

test('messages stream over a WebSocket token by token', async () => {
  const thread = stream('speaker');
  const { messages } = thread;
  await thread.run.start({ input: { messages: [{ role: 'user', content: 'hi' }] } });
  for await (const message of messages) {
    const words: string[] = [];
    for await (const word of message.text) words.push(word);
    expect(words).toEqual(['You ', 'said ', 'hi']);
    break;
  }
  await thread.close();
});

test('the answer to a subscription precedes its replay, and each subscription gets its own events', async () => {
  await command(service, 'replayed', 'run.start', { assistant_id: 'speaker', input: { messages: ['hi'] } });
  const { ask, events, messages } = await connected('replayed');
  const one = await ask(1, 'subscription.subscribe', { channels: ['values', 'lifecycle'] });
  expect(one).toMatchObject({ type: 'success', meta: { thread_id: 'replayed' } });
  await until(() => events().some(root('completed')));
  expect(messages[0]).toEqual(one);
  const before = messages.length;
  const two = await ask(2, 'subscription.subscribe', { channels: ['updates'] });
  await until(() => events().some(({ method }) => method === 'updates'));
  expect(messages.slice(before).map(({ type, method }) => method ?? type)).toEqual(['success', 'updates']);
  const { subscription_id } = two.result;
  expect(await ask(3, 'subscription.unsubscribe', { subscription_id })).toMatchObject({ result: {} });
  expect(await ask(4, 'subscription.unsubscribe', { subscription_id })).toMatchObject({
    error: 'no_such_subscription',
  });
  await ask(5, 'run.start', { assistant_id: 'speaker', input: { messages: ['again'] } });
  await until(() => events().filter(root('completed')).length === 2);
  const live = events().slice(-5);
  expect(live.map(({ seq }) => seq)).toEqual(live.map(({ seq }) => seq).sort((a, b) => a - b));
  expect(events().filter(({ method }) => method === 'updates').length).toBe(1);
});

test('a socket that subscribed before the thread existed gets each event once', async () => {
  const { ask, events } = await connected('later');
  await ask(1, 'subscription.subscribe', { channels: ALL });
  await ask(2, 'run.start', { assistant_id: 'speaker', input: { messages: ['hi'] } });
  await until(() => events().some(root('completed')));
  expect(new Set(events().map(({ seq }) => seq)).size).toBe(events().length);
});

test('an invalid command is rejected, and the socket stays open', async () => {
  const { ask, socket, messages } = await connected('strict');
  for (const text of ['{', '[]', '{"id":-1,"method":"state.get"}', '['.repeat(100)]) socket.send(text);
  socket.send(new Uint8Array([1]));
  await until(() => messages.length === 5);
  for (const message of messages)
    expect(message).toMatchObject({ type: 'error', id: null, error: 'invalid_argument' });
  socket.send('{"id":8,"method":""}');
  await until(() => messages.length === 6);
  expect(messages[5]).toMatchObject({ type: 'error', id: 8, error: 'invalid_argument' });
  expect(await ask(1, 'what.is.this')).toMatchObject({ error: 'unknown_command' });
  expect(await ask(2, 'subscription.subscribe', { channels: ['unknown'] })).toMatchObject({
    error: 'invalid_argument',
  });
  expect(await ask(3, 'subscription.subscribe', { channels: ['values'], more: 1 })).toMatchObject({
    error: 'invalid_argument',
  });
});

test('a page of another origin cannot open a socket', async () => {
  const { host } = new URL(service.url);
  expect((await connected('foreign', { origin: 'https://evil.example' })).isOpen).toBe(false);
  expect((await connected('foreign', { origin: `http://${host}` })).isOpen).toBe(true);
});

test('a request without an upgrade is answered with 426', async () => {
  const answer = await service.fetch('/threads/plain/stream/events');
  expect([answer.status, answer.headers.get('upgrade'), await answer.text()]).toEqual([
    ...[426, 'websocket'],
    'upgrade: expected websocket. For server-sent events, use POST.',
  ]);
});

test("it passes through the project's HTTP app, which may reject it", async () => {
  const served = await servedApp(APP);
  onTestFinished(() => served.close());
  const { ask, socket, state } = await connected('free', {}, served);
  expect(await ask(1, 'state.get')).toMatchObject({ error: 'no_such_run' });
  expect((await connected('closed', {}, served)).isOpen).toBe(false);
  socket.close();
  await until(() => state.code > 0);
});

test('a socket closes with the service, so its client reconnects', async () => {
  const served = await servedApp(APP);
  const { ask, state } = await connected('free', {}, served);
  await ask(1, 'subscription.subscribe', { channels: ['values'] });
  await served.close();
  await until(() => state.code > 0);
  expect(state.code).toBe(1001);
});
