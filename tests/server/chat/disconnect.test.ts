/** A client that disconnects before its response cancels its turn, unless it asked for the turn to continue. */
import { expect, test } from 'bun:test';
import { echoing } from '../support/calls.ts';
import { rawSocket } from '../support/raw-socket.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
const service = runningService(provider);

const never = () => new Promise<Response>(() => {});

test('a client that disconnects cancels its turn, and the model call is aborted within a second', async () => {
  provider.script = echoing({ answer: never });
  const client = new AbortController();
  const call = service.chat({ user_prompt: 'gone', thread_id: 'gone' }, {}, client.signal);
  await until(() => provider.requests.length === 2);
  client.abort();
  expect(await call.catch(({ name }) => name)).toBe('AbortError');
  await until(() => provider.aborted === 1, 1_000);
  await until(async () => (await storedIn(service.folder)).runs.at(-1)?.status === 'cancelled', 1_000);
  provider.script = echoing();
  await service.chat({ user_prompt: 'next', thread_id: 'gone' });
  expect(provider.requests.at(-1)?.messages.slice(1)).toEqual([{ role: 'user', content: 'next' }]);
});

test('a client whose connection breaks cancels its turn, with any Host header', async () => {
  provider.script = echoing({ answer: never });
  const body = JSON.stringify({ user_prompt: 'cut', conversation_flow: 'classification-agent' });
  const socket = await rawSocket(service);
  await socket.send(
    `POST /api/v1/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => provider.requests.length === 2);
  socket.close();
  await until(() => provider.aborted === 1, 1_000);
  await until(async () => (await storedIn(service.folder)).runs.at(-1)?.status === 'cancelled', 1_000);
});

test('with on_disconnect: continue, the turn continues and is remembered', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.script = echoing({ answer: async () => promise.then(() => 'kept') });
  const client = new AbortController();
  const asking = { user_prompt: 'stay', thread_id: 'stay', on_disconnect: 'continue' };
  const call = service.chat(asking, {}, client.signal);
  await until(() => provider.requests.length === 2);
  client.abort();
  expect(await call.catch(({ name }) => name)).toBe('AbortError');
  resolve();
  const next = await service.chat({ user_prompt: 'next', thread_id: 'stay' });
  expect({ status: next.status, aborted: provider.aborted }).toEqual({ status: 200, aborted: 0 });
  expect(
    provider.requests
      .at(-1)
      ?.messages.slice(1)
      .map(({ content }) => content),
  ).toEqual(['stay', 'kept', 'next']);
});
