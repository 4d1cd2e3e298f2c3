/** LangGraph's RemoteGraph: a graph of the service in another program, alone and as a node of a graph. */
import { expect, test } from 'bun:test';
import type { BaseMessage } from '@langchain/core/messages';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { Client } from '@langchain/langgraph-sdk';
import { servedDesk } from '../support/desk.ts';

const project = servedDesk();
const client = () => new Client({ apiUrl: project().service.url, apiKey: null });
const desk = () => new RemoteGraph({ graphId: 'desk', client: client() });
const onThread = (thread_id: string) => ({ configurable: { thread_id } });
const saying = (content: string) => ({ messages: [new HumanMessage(content)] });

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
type Wire = any;
const texts = ({ messages }: { messages: Wire[] }) => messages.map(({ content }) => content);

test('it can be invoked without a thread and on a new thread', async () => {
  expect(texts(await desk().invoke(saying('hello')))).toEqual(['hello', 'greet heard hello']);
  await desk().invoke(saying('hello'), onThread('made'));
  const values = await desk().invoke(saying('again'), onThread('made'));
  expect(texts(values)).toEqual(['hello', 'greet heard hello', 'again', 'greet heard again']);
  expect((await client().threads.get('made')).status).toBe('idle');
});

test('its stream has the requested modes, with subgraphs under their names', async () => {
  const streamMode: Wire = ['values', 'updates', 'messages', 'custom'];
  const plain: Wire[] = await Array.fromAsync(await desk().stream(saying('hello'), { streamMode }));
  expect(plain[0]).toEqual(['values', { messages: [expect.objectContaining({ content: 'hello' })] }]);
  expect(plain).toContainEqual(['custom', { greets: true }]);
  const tokens = plain.filter(([mode]) => mode === 'messages').map(([, [{ content }]]) => content);
  expect(tokens.join('')).toBe('greet heard hello');
  expect(tokens.length).toBeGreaterThan(2);
  expect(plain.findLast(([mode]) => mode === 'updates')[1]).toMatchObject({ greet: { messages: [{}] } });
  expect(texts(plain.findLast(([mode]) => mode === 'values')[1])).toEqual(['hello', 'greet heard hello']);

  const nested: Wire[] = [];
  const config = { ...onThread('nested'), streamMode: 'values' as const, subgraphs: true };
  const stream = await desk().stream(saying('an order'), config);
  const listen = async () => {
    for await (const one of stream) nested.push(one);
  };
  expect(await listen().catch((error) => error.name)).toBe('GraphInterrupt');
  const spaces = nested.map(([ns]) => ns.map((one: string) => one.split(':')[0]));
  expect(spaces).toContainEqual([]);
  expect(spaces).toContainEqual(['review']);
});

test('an interrupt is thrown, is part of the state, and is answered with a command', async () => {
  const stopped = desk().invoke(saying('an order'), onThread('asks'));
  expect(stopped).rejects.toMatchObject({
    name: 'GraphInterrupt',
    interrupts: [{ value: { question: 'Ship it?' } }],
  });
  await stopped.catch(() => {});
  const state = await desk().getState(onThread('asks'), { subgraphs: true });
  expect(state).toMatchObject({ next: ['review'], tasks: [{ name: 'review', state: { next: ['ask'] } }] });
  const values = await desk().invoke(new Command({ resume: 'yes' }), onThread('asks'));
  expect(texts(values)).toEqual(['an order', 'greet heard an order', 'Shipped: yes']);
});

test('its history can be read, and its state can be changed at any checkpoint', async () => {
  await desk().invoke(saying('hello'), onThread('read'));
  const history = await Array.fromAsync(desk().getStateHistory(onThread('read')));
  expect(history.map(({ next }) => next)).toEqual([[], ['greet'], ['__start__']]);
  expect(history[0]?.parentConfig).toEqual(history[1]?.config as Wire);
  const older = await desk().getState(history[1]?.config as Wire);
  expect(older).toMatchObject({ next: ['greet'], values: { messages: [{ content: 'hello' }] } });
  const changed = await desk().updateState(onThread('read'), { note: 'seen' }, 'greet');
  expect(changed.configurable?.checkpoint_id).not.toBe(history[0]?.config.configurable?.checkpoint_id);
  const state = await desk().getState(onThread('read'));
  expect(state).toMatchObject({ values: { note: 'seen' }, config: changed, metadata: { source: 'update' } });
  const before = await Array.fromAsync(
    desk().getStateHistory(onThread('read'), { before: changed, limit: 1 }),
  );
  expect(before.map(({ config }) => config)).toEqual([history[0]?.config as Wire]);
  const again = await desk().invoke(null, history[1]?.config as Wire);
  expect(texts(again)).toEqual(['hello', 'greet heard hello']);
});

test('it returns its drawing, with subgraphs if requested', async () => {
  const plain = await desk().getGraphAsync();
  expect(Object.keys(plain.nodes)).toEqual(['__start__', 'greet', 'review', '__end__']);
  const drawn = await desk().getGraphAsync({ xray: true });
  expect(Object.keys(drawn.nodes)).toContain('review:ask');
  expect(plain.drawMermaid()).toContain('greet');
  const subgraphs = await Array.fromAsync(desk().getSubgraphsAsync());
  expect(subgraphs.map(([name]) => name)).toEqual(['review']);
});

const outer = () =>
  new StateGraph(MessagesAnnotation)
    .addNode('first', () => ({ messages: [new AIMessage('passed on')] }))
    .addNode('desk', desk())
    .addEdge(START, 'first')
    .addEdge('first', 'desk')
    .addEdge('desk', END);

test("as a node of another graph, its output is part of that graph's stream", async () => {
  const graph = outer().compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 'outer' }, streamMode: 'updates' as const, subgraphs: true };
  const chunks: Wire[] = await Array.fromAsync(await graph.stream(saying('hello'), config));
  const inside = chunks.filter(([ns]) => ns[0]?.startsWith('desk:'));
  expect(inside.map(([, update]) => Object.keys(update))).toContainEqual(['greet']);
  const { values } = await graph.getState(config);
  expect((values.messages as BaseMessage[]).map(({ text }) => text)).toEqual([
    ...['hello', 'passed on', 'greet heard hello'],
  ]);
});
