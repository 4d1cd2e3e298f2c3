/** The window of a fork: it has the size of the origin's window, and is condensed at the same point. */
import { expect, test } from 'bun:test';
import { callOf, conversationOf } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { callsOf } from '../support/thread-calls.ts';

const provider = runningProvider();
const service = runningService(provider, 'memory: { window_messages: 4 }');
const call = callsOf(service);

test('the window of a fork is full when that of its origin is', async () => {
  for (const user_prompt of ['one', 'two']) await service.chat({ user_prompt, thread_id: 'o' });
  const { thread_id } = (await call('POST', '/threads/o/fork', {})).body;
  provider.requests.length = 0;
  const forked = (await service.chat({ user_prompt: 'three', thread_id })).body;
  const calls = provider.requests.map(callOf);
  expect(calls[0]).toBe('summary');
  const seen = conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] });
  provider.requests.length = 0;
  await service.chat({ user_prompt: 'three', thread_id: 'o' });
  expect(provider.requests.map(callOf)).toEqual(calls);
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toEqual(seen);
  expect(forked.memory_summary).not.toBe('');
});

test('messages that are added as values also count for the window', async () => {
  await service.chat({ user_prompt: 'one', thread_id: 'v' });
  const messages = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }));
  const { thread_id } = (await call('POST', '/threads/v/fork', { values: { messages } })).body;
  provider.requests.length = 0;
  await service.chat({ user_prompt: 'two', thread_id });
  expect(provider.requests.map(callOf)[0]).toBe('summary');
});
