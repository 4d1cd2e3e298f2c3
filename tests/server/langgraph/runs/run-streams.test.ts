/** Streams of runs over LangGraph's protocol, with LangGraph's own client and event by event. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';
import { COUNTER, SPEAKING } from './graphs.ts';

const NESTED = `
const { MessagesAnnotation } = await import(${JSON.stringify(import.meta.resolve('@langchain/langgraph'))});
const { AIMessage } = await import(${JSON.stringify(import.meta.resolve('@langchain/core/messages'))});
const inner = new StateGraph(MessagesAnnotation)
  .addNode('deep', (_, config) => { config.writer?.('inside'); return { messages: [new AIMessage('deep')] }; })
  .addEdge(START, 'deep').compile();
export default new StateGraph(MessagesAnnotation).addNode('outer', inner).addEdge(START, 'outer').compile();`;

/** An agent with two steps; the second changes the message of the first. */
const STEPS = `
export default workflow({
  description: 'Speaks in steps.', example: 'Hello', agents: () => [{ name: 'stepper', description: 'Steps' }],
  build: ({ agentGraph }) => new StateGraph(Conversation)
    .addNode(...agentGraph('stepper', (step) => new StateGraph(Annotation.Root({ ...AgentWork.spec, said: Annotation() }))
      .addNode('say', step('say', async (state, { answer }) => ({ said: (await answer('Speak')).content })))
      .addNode('sign', step('sign', async ({ said }) => ({ result: { content: said + ' (signed)', data: null } })))
      .addEdge(START, 'say').addEdge('say', 'sign').addEdge('sign', END)))
    .addEdge(START, 'stepper').addEdge('stepper', END),
});`;

const graphs = { steps: STEPS, counter: COUNTER, speaking: SPEAKING, nested: NESTED };
const service = runningService(runningProvider(), '', graphs);
const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });
const thread = async () => (await client().threads.create()).thread_id;
const ASKED = { input: { messages: [{ role: 'human', content: 'hi', id: 'h' }] } };

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
type Chunk = { id?: string; event: string; data: any };

async function all(stream: AsyncIterable<unknown>): Promise<Chunk[]> {
  const chunks = (await Array.fromAsync(stream)) as Chunk[];
  return chunks;
}

test('each mode has its events, numbered without gaps, and the first event names the run', async () => {
  const id = await thread();
  const streamMode = [
    'values',
    'updates',
    'messages-tuple',
    'custom',
    'tasks',
    'checkpoints',
    'debug',
  ] as const;
  const chunks = await all(client().runs.stream(id, 'speaking', { ...ASKED, streamMode: [...streamMode] }));
  expect(chunks.map((chunk) => chunk.id)).toEqual(chunks.map((_, index) => String(index)));
  expect(chunks[0]).toMatchObject({ event: 'metadata', data: { run_id: expect.any(String), attempt: 1 } });
  expect(chunks.at(-1)?.event).toBe('end');
  const of = (event: string) => chunks.filter((chunk) => chunk.event === event).map(({ data }) => data);
  expect(of('values').map(({ messages }) => messages.length)).toEqual([1, 2, 3]);
  expect(of('updates').map((data) => Object.keys(data))).toEqual([['speak'], ['tool']]);
  expect(of('custom')).toEqual([{ progress: 1 }]);
  expect(of('checkpoints').map(({ next }) => next)).toEqual([['__start__'], ['speak'], ['tool'], []]);
  expect(of('tasks').map(({ name, result }) => [name, result !== undefined])).toEqual([
    ...[
      ['speak', false],
      ['speak', true],
    ],
    ...[
      ['tool', false],
      ['tool', true],
    ],
  ]);
  expect(of('debug').map(({ type }) => type)).toContain('task_result');
  const streamed = of('messages');
  expect(streamed.slice(0, 5).map(([{ content }]) => content)).toEqual([...'hello']);
  expect(new Set(streamed.slice(0, 5).map(([message]) => message.id)).size).toBe(1);
  expect(streamed[0][1]).toMatchObject({ langgraph_node: 'speak', thread_id: id, graph_id: 'speaking' });
  expect(streamed.at(-1)[0]).toMatchObject({ type: 'tool', content: 'done', tool_call_id: 'x' });
  // The ids are those of the state.
  const state = (await client().threads.getState(id)).values as { messages: { id: string }[] };
  expect(state.messages.map((message) => message.id)).toEqual([
    'h',
    streamed[0][0].id,
    streamed.at(-1)[0].id,
  ]);
  expect(of('values').at(-1)).toEqual(state);
});

test('the older mode of messages accumulates', async () => {
  const chunks = await all(
    client().runs.stream(await thread(), 'speaking', { ...ASKED, streamMode: 'messages' }),
  );
  const partial = chunks
    .filter(({ event }) => event === 'messages/partial')
    .map(({ data }) => data[0].content);
  expect(partial).toEqual(['h', 'he', 'hel', 'hell', 'hello']);
  expect(chunks.map(({ event }) => event)).toContain('messages/metadata');
  const complete = chunks.filter(({ event }) => event === 'messages/complete').flatMap(({ data }) => data);
  expect(complete.map(({ type }: { type: string }) => type)).toEqual(['human', 'ai', 'tool']);
});

test("LangChain's events are the graph's own", async () => {
  const chunks = await all(
    client().runs.stream(await thread(), 'speaking', { ...ASKED, streamMode: 'events' }),
  );
  const events = chunks.filter(({ event }) => event === 'events').map(({ data }) => data);
  expect(events.map(({ event }) => event)).toContain('on_chat_model_stream');
  expect(events.find(({ event }) => event === 'on_chain_start')).toMatchObject({ name: 'LangGraph' });
  expect(JSON.stringify(events)).not.toContain('__skein');
});

test('events of subgraphs are sent on request, under their names', async () => {
  const options = {
    ...ASKED,
    streamMode: ['updates', 'custom', 'messages-tuple'] as ('updates' | 'custom')[],
  };
  const outside = await all(client().runs.stream(await thread(), 'nested', options));
  expect(new Set(outside.map(({ event }) => event))).toEqual(new Set(['metadata', 'updates', 'end']));
  const inside = await all(
    client().runs.stream(await thread(), 'nested', { ...options, streamSubgraphs: true }),
  );
  const names = inside.map(({ event }) => event.replace(/:[0-9a-f-]{36}/g, ''));
  expect(names).toEqual(['metadata', 'custom|outer', 'updates|outer', 'messages|outer', 'updates', 'end']);
});

test('a stream can be joined at any event and with selected modes, during the run and afterwards', async () => {
  const id = await thread();
  const created = await client().runs.create(id, 'counter', {
    ...{ input: { messages: ['go'], wait: 100 }, streamMode: ['values', 'updates'] },
  });
  const live = await all(client().runs.joinStream(id, created.run_id));
  const later = await all(client().runs.joinStream(id, created.run_id));
  expect(later).toEqual(live);
  const rest = await all(client().runs.joinStream(id, created.run_id, { lastEventId: '2' }));
  expect(rest).toEqual(live.slice(3));
  const some = await all(client().runs.joinStream(id, created.run_id, { streamMode: 'updates' }));
  expect(some).toEqual(live.filter(({ event }) => event !== 'values'));
  expect(some.map(({ event }) => event)).toEqual(['metadata', 'updates', 'updates', 'end']);
});

test('large values are read from their checkpoints', async () => {
  const id = await thread();
  const input = { messages: Array.from({ length: 500 }, (_, index) => `message ${index}`) };
  const chunks = await all(client().runs.stream(id, 'counter', { input, streamMode: 'values' }));
  const sizes = chunks.filter(({ event }) => event === 'values').map(({ data }) => data.messages.length);
  expect(sizes).toEqual([500, 501, 502]);
  const again = await all(client().runs.joinStream(id, chunks[0]?.data.run_id));
  expect(again).toEqual(chunks);
});

test('a chat run can be streamed as well', async () => {
  const { body } = await service.chat({
    conversation_flow: 'speaking',
    thread_id: 'chatted',
    input: ASKED.input,
  });
  const chunks = await all(client().runs.joinStream('chatted', body.run_id));
  expect(chunks.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['metadata', 'values', 'updates', 'custom', 'messages', 'end']),
  );
  const values = chunks.filter(({ event }) => event === 'values').map(({ data }) => data);
  expect(values.at(-1)).toEqual((await client().threads.getState('chatted')).values);
});

test('a stream says where it can be rejoined, and an error is its last event before the end', async () => {
  const id = await thread();
  const response = await service.fetch(`/threads/${id}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id: 'counter', input: { fail: true } }),
  });
  const text = await response.text();
  const run = /"run_id":"([^"]+)"/.exec(text)?.[1];
  expect(response.headers.get('content-location')).toBe(`/threads/${id}/runs/${run}`);
  expect(response.headers.get('location')).toBe(`/threads/${id}/runs/${run}/stream`);
  expect(text.split('\n\n').slice(-3)).toEqual([
    expect.stringContaining('event: error\ndata: {"error":"CustomError","message":"Boo!"}'),
    expect.stringContaining('event: end\ndata: null'),
    '',
  ]);
  // Node's fetch is used by programs for a server that sends no `end` event, so they don't get it.
  const node = await service.fetch(`/threads/${id}/runs/${run}/stream`, {
    headers: { 'user-agent': 'node' },
  });
  expect(await node.text()).not.toContain('event: end');
});

test('a core workflow streams its tokens with the message IDs of its state', async () => {
  const id = await thread();
  const options = { ...ASKED, streamMode: ['messages-tuple', 'values'] as ('values' | 'messages-tuple')[] };
  const chunks = await all(client().runs.stream(id, 'classification-agent', options));
  const streamed = chunks.filter(({ event }) => event === 'messages').map(({ data }) => data[0]);
  expect(streamed.length).toBeGreaterThan(0);
  const { messages } = chunks.findLast(({ event }) => event === 'values')?.data ?? {};
  expect(messages[0]).toMatchObject({ id: 'h', type: 'human', content: 'hi' });
  const texts = new Map<string, string>();
  for (const { id: message, content } of streamed) texts.set(message, (texts.get(message) ?? '') + content);
  for (const [message, text] of texts)
    expect(messages.find((one: { id: string }) => one.id === message)?.content).toBe(text);
});

test('so does an agent with several steps, whose message is the last streamed one', async () => {
  const options = { ...ASKED, streamMode: ['messages-tuple', 'values'] as ('values' | 'messages-tuple')[] };
  const chunks = await all(client().runs.stream(await thread(), 'steps', options));
  const [[first, about]] = chunks.filter(({ event }) => event === 'messages').map(({ data }) => data);
  expect(about).toMatchObject({ langgraph_node: expect.any(String) });
  const { messages } = chunks.findLast(({ event }) => event === 'values')?.data ?? {};
  expect(messages.at(-1)).toMatchObject({ id: first.id, content: 're: hi (signed)' });
});

test("a thread's stream covers its runs, from the start or from an event", async () => {
  const id = await thread();
  await client().runs.wait(id, 'counter', { input: { messages: ['go'] } });
  const listen = async (options: object, until: number) => {
    const chunks: Chunk[] = [];
    for await (const chunk of client().threads.joinStream(id, options) as AsyncIterable<Chunk>) {
      chunks.push(chunk);
      if (chunks.filter(({ event }) => event === 'run_done').length === until) break;
    }
    return chunks;
  };
  const live = listen({ streamMode: 'lifecycle' }, 1);
  await Bun.sleep(100);
  const second = await client().runs.create(id, 'counter', { input: { messages: ['again'] } });
  expect((await live).map(({ event, data }) => [event, data.run_id])).toEqual([
    ['metadata', second.run_id],
    ['run_done', second.run_id],
  ]);
  const all = await listen({ lastEventId: '-' }, 2);
  expect(all.map(({ event }) => event)).toEqual([
    ...['metadata', 'values', 'values', 'values', 'run_done'],
    ...['metadata', 'values', 'values', 'values', 'run_done'],
  ]);
  const rest = await listen({ lastEventId: all[6]?.id }, 1);
  expect(rest).toEqual(all.slice(7));
});
