/** Threads over LangGraph's protocol, with LangGraph's own client: they are chat's threads. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';

const COUNTER = `
const State = Annotation.Root({ messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }), n: Annotation() });
const inner = new StateGraph(State).addNode('ask', () => ({ messages: ['got ' + interrupt('how many?')] })).addEdge(START, 'ask').compile();
export default new StateGraph(State)
  .addNode('count', ({ n }) => ({ n: (n ?? 0) + 1 }))
  .addNode('inside', inner)
  .addEdge(START, 'count')
  .addConditionalEdges('count', ({ n }) => (n > 1 ? 'inside' : '__end__'))
  .compile();`;

/** Made by a function; its reducer and its node throw a text. */
const PICKY = `
const State = Annotation.Root({
  word: Annotation({ reducer: (_, word) => { if (word === 'bad') throw 'not this word'; return word; }, default: () => '' }),
});
const graph = new StateGraph(State).addNode('say', () => ({})).addEdge(START, 'say').compile();
export default () => graph;`;

const service = runningService(runningProvider(), '', { counter: COUNTER, picky: PICKY });
const threads = () => new Client({ apiUrl: service.url, apiKey: null }).threads;
const turn = (thread_id: string) =>
  service.chat({ conversation_flow: 'counter', thread_id, input: { messages: ['go'] } });

test('a thread can be created only once, changed and deleted', async () => {
  const made = await threads().create({ threadId: 'made', metadata: { kind: 'a' } });
  expect(made).toMatchObject({ thread_id: 'made', metadata: { kind: 'a' }, status: 'idle', values: null });
  expect(threads().create({ threadId: 'made' })).rejects.toThrow('HTTP 409: Thread already exists');
  expect(await threads().create({ threadId: 'made', ifExists: 'do_nothing' })).toEqual(made);
  const changed = await threads().update('made', { metadata: { more: 1 } });
  expect(changed.metadata).toEqual({ kind: 'a', more: 1 });
  await threads().delete('made');
  expect(threads().get('made')).rejects.toThrow('HTTP 404: Thread with ID made not found');
  expect((await threads().create()).thread_id).toMatch(/^[0-9a-f-]{36}$/);
});

test('a chat thread can be read with its state and history', async () => {
  await turn('chatted');
  const thread = await threads().get('chatted');
  expect(thread).toMatchObject({ metadata: { graph_id: 'counter' }, values: { messages: ['go'], n: 1 } });
  const state = await threads().getState('chatted');
  expect(state).toMatchObject({
    ...{ values: { messages: ['go'], n: 1 }, next: [], tasks: [] },
    metadata: { source: 'loop', thread_id: 'chatted' },
    checkpoint: { thread_id: 'chatted', checkpoint_ns: '', checkpoint_id: expect.any(String) },
  });
  const history = await threads().getHistory('chatted');
  expect(history.map(({ next }) => next)).toEqual([[], ['count'], ['__start__']]);
  expect(history[0]?.parent_checkpoint).toEqual(history[1]?.checkpoint as never);
  const older = await threads().getState('chatted', history[1]?.checkpoint as never);
  expect(older).toEqual(history[1] as never);
  expect(
    await threads().getHistory('chatted', {
      limit: 1,
      before: { configurable: history[0]?.checkpoint } as never,
    }),
  ).toEqual([history[1]] as never);
  expect(threads().getState('chatted', 'unknown')).rejects.toThrow('HTTP 404');
});

test("pending interrupts are in the thread's tasks, those of subgraphs on request", async () => {
  await turn('waits');
  await turn('waits');
  const { status, interrupts } = await threads().get('waits');
  expect(status).toBe('interrupted');
  expect(Object.values(interrupts).flat()).toMatchObject([{ value: 'how many?' }]);
  const state = await threads().getState('waits', undefined, { subgraphs: true });
  expect(state.next).toEqual(['inside']);
  expect(state.tasks).toMatchObject([{ name: 'inside', interrupts: [{ value: 'how many?' }] }]);
  expect(state.tasks[0]?.state).toMatchObject({ next: ['ask'], checkpoint: { thread_id: 'waits' } });
});

test('threads can be searched by metadata, graph and status, counted, and returned in part', async () => {
  for (const [threadId, kind] of [
    ['s1', { deep: [1] }],
    ['s2', 'x'],
    ['s3', 'x'],
  ] as const)
    await threads().create({ threadId, metadata: { kind } });
  const ids = (found: { thread_id: string }[]) => found.map(({ thread_id }) => thread_id);
  expect(ids(await threads().search({ metadata: { kind: 'x' } }))).toEqual(['s3', 's2']);
  expect(ids(await threads().search({ metadata: { kind: { deep: [1] } } }))).toEqual(['s1']);
  expect(
    ids(await threads().search({ metadata: { kind: 'x' }, sortBy: 'thread_id', sortOrder: 'asc' })),
  ).toEqual(['s2', 's3']);
  expect(await threads().count({ metadata: { kind: 'x' } })).toBe(2);
  const { assistant_id } = await new Client({ apiUrl: service.url, apiKey: null }).assistants.get('counter');
  const ofGraph = await threads().search({ metadata: { assistant_id }, status: 'interrupted' });
  expect(ids(ofGraph)).toEqual(['waits']);
  expect(await threads().search({ ids: ['s1', 'nobody'], select: ['thread_id'] })).toEqual([
    { thread_id: 's1' },
  ] as never);
});

test('a thread that was created here continues in chat, under its first question', async () => {
  await threads().create({ threadId: 'handed', metadata: { from: 'sdk' } });
  const empty = await threads().getState('handed');
  expect(empty).toMatchObject({ values: {}, next: [], tasks: [] });
  expect(await threads().getHistory('handed')).toEqual([]);
  await service.chat({ thread_id: 'handed', user_prompt: 'My pedal broke' });
  const listed = await (await service.fetch('/api/v1/threads/handed')).json();
  expect(listed).toMatchObject({ title: 'My pedal broke', metadata: { from: 'sdk' }, message_count: 2 });
  const { values } = await threads().get('handed');
  expect((values as { messages: { type: string }[] }).messages.map(({ type }) => type)).toEqual([
    ...['human', 'ai'],
  ]);
});

test('a copy has the same state and changes independently', async () => {
  await turn('original');
  await threads().update('original', { metadata: { kind: 'copied' } });
  const copy = (await threads().copy('original')) as unknown as { thread_id: string; metadata: object };
  expect(copy).toMatchObject({ metadata: { kind: 'copied' }, status: 'idle', values: { n: 1 } });
  await turn(copy.thread_id);
  expect((await threads().get(copy.thread_id)).status).toBe('interrupted');
  expect((await threads().get('original')).values).toMatchObject({ n: 1 });
  await threads().create({ threadId: 'blank', metadata: { kind: 'blank' } });
  expect(await threads().copy('blank')).toMatchObject({ metadata: { kind: 'blank' }, values: null } as never);
});

test('a text thread can continue in a workflow with messages, and be forked', async () => {
  await turn('texts');
  const fork = await service.fetch('/api/v1/threads/texts/fork', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
  });
  expect(fork.status).toBe(201);
  const { status } = await service.chat({ thread_id: 'texts', user_prompt: 'My pedal broke' });
  expect(status).toBe(200);
  const { values } = await threads().get('texts');
  const { messages } = values as { messages: { type: string; content: string }[] };
  expect(messages.map(({ type, content }) => [type, content])).toEqual([
    ['human', 'go'],
    ['human', 'My pedal broke'],
    ['ai', expect.any(String)],
  ]);
});

test('a thread without a run has no state and no history, and its state cannot be changed', async () => {
  await threads().create({ threadId: 'empty' });
  expect((await threads().getState('empty')).values).toEqual({});
  expect(await threads().getHistory('empty')).toEqual([]);
  await expect(threads().getState('empty', crypto.randomUUID())).rejects.toThrow('HTTP 404');
  await expect(threads().updateState('empty', { values: { n: 1 } })).rejects.toThrow(
    'The thread has no graph, because it has had no run',
  );
});

test('a thread can be created with a command as its history, also of a graph that a function makes', async () => {
  const command = { update: { word: 'good' } };
  const supersteps = [{ updates: [{ command, asNode: 'say' }] }];
  await threads().create({ threadId: 'said', graphId: 'picky', supersteps: supersteps as never });
  expect((await threads().getState('said')).values).toEqual({ word: 'good' });
  await expect(threads().updateState('said', { values: { word: 'bad' } })).rejects.toThrow('not this word');
  const unknown = threads().updateState('said', { values: { word: 'fine' }, asNode: 'nobody' });
  await expect(unknown).rejects.toThrow('nobody');
  expect((await threads().getState('said')).values).toEqual({ word: 'good' });
});

test('a change of a subgraph keeps the newest state of the thread, which still waits there', async () => {
  for (let turns = 0; turns < 2; turns++) await turn('inner');
  const before = await threads().getState('inner', undefined, { subgraphs: true });
  const { checkpoint } = before.tasks[0]?.state ?? before;
  expect(checkpoint.checkpoint_ns).toStartWith('inside:');
  await threads().updateState('inner', { values: { messages: ['more'] }, checkpoint });
  const after = await threads().getState('inner', undefined, { subgraphs: true });
  expect(after.checkpoint).toEqual(before.checkpoint);
  expect(after.tasks[0]?.state).toMatchObject({ values: { messages: ['go', 'go', 'more'] } });
});

test('a run can start at an older checkpoint, which may be named with its map', async () => {
  await turn('older');
  const [, before] = await threads().getHistory('older');
  const { checkpoint_id, checkpoint_ns } = before?.checkpoint ?? {};
  const checkpoint = { checkpoint_id, checkpoint_ns, checkpoint_map: { '': checkpoint_id } };
  const { runs } = new Client({ apiUrl: service.url, apiKey: null });
  const input = { messages: ['again'] };
  const ended = await runs.wait('older', 'counter', { input, checkpoint: checkpoint as never });
  expect(ended).toMatchObject({ n: 1, messages: ['go', 'again'] });
});

test('a thread whose first run has not started has no state, and it cannot be changed until then', async () => {
  const { runs } = new Client({ apiUrl: service.url, apiKey: null });
  await threads().create({ threadId: 'later' });
  const { run_id } = await runs.create('later', 'counter', { input: {}, afterSeconds: 60 });
  expect(await threads().getState('later')).toMatchObject({ values: {}, next: [], tasks: [] });
  await expect(threads().updateState('later', { values: { n: 1 } })).rejects.toThrow('HTTP 409');
  await runs.cancel('later', run_id, true);
});
