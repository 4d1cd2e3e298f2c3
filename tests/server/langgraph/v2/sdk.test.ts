/** LangGraph's own client streams threads by the event-streaming protocol, over server-sent events. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';
import { until } from '../../support/until.ts';
import { GRAPHS } from './graphs.ts';

const service = runningService(runningProvider(), '', GRAPHS);
const client = () => new Client({ apiUrl: service.url, apiKey: null });
const stream = (assistantId: string, threadId?: string) =>
  client().threads.stream(...((threadId ? [threadId, { assistantId }] : [{ assistantId }]) as [never]));

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('a run streams its messages and its values, and ends', async () => {
  const thread = stream('speaker');
  const { messages, values } = thread;
  const { run_id = '' } = await thread.run.start({
    input: { messages: [{ role: 'user', content: 'hello you' }] },
  });
  const [message] = await all(messages);
  expect(await all(message?.text as AsyncIterable<string>)).toEqual(['You ', 'said ', 'hello ', 'you']);
  expect((await message?.output)?.content).toEqual([{ type: 'text', text: 'You said hello you' }]);
  expect(await message?.usage).toMatchObject({ input_tokens: 3, output_tokens: 2, total_tokens: 5 });
  const texts = (state: unknown) =>
    (state as { messages: { content: string }[] }).messages.map((m) => m.content);
  expect((await all(values)).map(texts)).toEqual([['hello you'], ['hello you', 'You said hello you']]);
  expect(texts(await thread.output)).toEqual(['hello you', 'You said hello you']);
  await thread.close();
  expect((await client().runs.get(thread.threadId, run_id)).status).toBe('success');
  // The graph stores the same messages as over the other protocol, without blocks.
  expect(texts((await client().threads.getState(thread.threadId)).values)).toEqual([
    'hello you',
    'You said hello you',
  ]);
});

test('an interrupt is reported and answered, and the same stream continues with the next run', async () => {
  const thread = stream('asker');
  const received: unknown[] = [];
  thread.onEvent(({ method, params }) => {
    if (method === 'lifecycle') received.push((params.data as { event: string }).event);
  });
  await thread.run.start({ input: { request: 'x' } });
  await until(() => thread.interrupts.length === 1 && thread.interrupted);
  expect(thread.interrupts[0]).toMatchObject({ payload: { question: 'one?' }, namespace: [] });
  const first = thread.interrupts[0]?.interruptId ?? '';
  await thread.input.respond({ namespace: [], interrupt_id: first, response: 'a' });
  await until(() => thread.interrupts.length === 1 && received.length === 4);
  expect(thread.interrupts[0]).toMatchObject({ payload: { question: 'two?' } });
  // The input to a waiting thread is the answer.
  await thread.run.start({ input: 'b' });
  await until(() => received.length === 6);
  expect(received).toEqual(['running', 'interrupted', 'running', 'interrupted', 'running', 'completed']);
  const { values } = await client().threads.getState(thread.threadId);
  expect(values).toEqual({ request: 'x', answers: ['a', 'b'] });
  await thread.close();
});

test('several interrupts are answered by one command', async () => {
  const thread = stream('both');
  void thread.values;
  await thread.run.start({ input: { answers: [] } });
  await until(() => thread.interrupts.length === 2);
  const responses = thread.interrupts.map(({ interruptId, payload }) => ({
    ...{ namespace: [], interrupt_id: interruptId },
    response: (payload as { question: string }).question.toUpperCase(),
  }));
  await thread.input.respond({ responses });
  await until(async () => (await client().threads.get(thread.threadId)).status === 'idle');
  expect((await client().threads.getState(thread.threadId)).values).toEqual({ answers: ['lL', 'rR'] });
  await thread.close();
});

test('tool calls, subgraphs and named data reach their projections', async () => {
  const thread = stream('tools');
  const { toolCalls, subgraphs, messages } = thread;
  const progress = (thread.extensions as Record<string, AsyncIterable<unknown>>).progress;
  await thread.run.start({ input: { messages: [{ role: 'user', content: 'Oslo?' }] } });
  const [call] = await all(toolCalls);
  expect(call).toMatchObject({ name: 'weather', callId: 'call-1', input: { city: 'Oslo' } });
  expect(await call?.output).toBe('Sunny in Oslo');
  const [inside] = await all(subgraphs);
  expect(inside?.name).toBe('inside');
  const [asking, result] = await all(messages);
  expect((await asking?.output)?.content).toEqual([
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_call', id: 'call-1', name: 'weather', args: { city: 'Oslo' } },
  ]);
  expect(await result?.text).toBe('Sunny in Oslo');
  expect(await all(progress as AsyncIterable<unknown>)).toEqual([{ city: 'Oslo' }]);
  await thread.close();
});

test('a client that reconnects finds the thread unchanged, with its pending interrupt', async () => {
  const before = stream('asker');
  await before.run.start({ input: { request: 'x' } });
  await until(() => before.interrupted);
  await before.close();
  const after = stream('asker', before.threadId);
  const { values } = after;
  await until(() => after.interrupts.length === 1 && after.interrupted);
  expect(await all(values)).toEqual([{ request: 'x', answers: [] }]);
  expect(after.interrupts).toEqual(before.interrupts);
  await after.close();
});

test('a run starts from an older checkpoint', async () => {
  const thread = stream('speaker');
  const { values } = thread;
  await thread.run.start({ input: { messages: [{ role: 'user', content: 'one' }] } });
  await all(values);
  const { checkpoints } = await thread.state.listCheckpoints({});
  const first = checkpoints.at(-1)?.id ?? '';
  await thread.run.start({
    input: { messages: [{ role: 'user', content: 'two' }] },
    forkFrom: first,
  } as never);
  await until(async () => (await client().threads.get(thread.threadId)).status === 'idle');
  const history = await client().threads.getHistory(thread.threadId, { limit: 20 });
  expect(history.filter((state) => state.parent_checkpoint?.checkpoint_id === first).length).toBe(2);
  await thread.close();
});

test('a rejected command is an error in the client', async () => {
  const thread = stream('nobody');
  expect(thread.run.start({ input: {} })).rejects.toThrow('No assistant found for "nobody"');
  expect(thread.state.get({ namespace: [] })).rejects.toThrow('Thread not found');
  await thread.close();
});

test("a message for an active run is rejected like LangGraph's own server does", async () => {
  const thread = stream('speaker');
  await thread.run.start({ input: { messages: [{ role: 'user', content: 'one' }] } });
  const message = { role: 'user' as const, content: 'and another thing' };
  const injected = thread.input.inject({ namespace: [], message });
  await expect(injected).rejects.toMatchObject({
    code: 'unknown_command',
    message: 'Unknown protocol command: input.inject',
  });
  await thread.close();
});
