/** Pruned threads, with LangGraph's own client: they are deleted, or continue from their newest state without history. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';

const SKEIN = join(import.meta.dir, '../../../../graphs/skein.ts');

/** Counts its turns in its state, in a subgraph that keeps its state, and in a delta channel; asks in a nested subgraph. */
const NOTES = `
import { DeltaChannel } from '${SKEIN}';
const log = () => new DeltaChannel((noted, writes) => [...noted, ...writes.flat()], { snapshotFrequency: 50 });
const State = Annotation.Root({ asked: Annotation(), n: Annotation(), inner: Annotation(), answer: Annotation(), log });
const Kept = Annotation.Root({ own: Annotation(), inner: Annotation(), n: Annotation() });
const keeping = new StateGraph(Kept)
  .addNode('add', ({ own }) => ({ own: (own ?? 0) + 1, inner: (own ?? 0) + 1 })).addEdge(START, 'add')
  .compile({ checkpointer: true });
const deep = new StateGraph(State)
  .addNode('first', () => ({ log: ['first'] }))
  .addNode('ask', () => { const answer = interrupt('who?'); if (answer === 'fail') throw new Error('as asked'); return { answer, log: ['told ' + answer] }; })
  .addEdge(START, 'first').addEdge('first', 'ask').compile();
const outer = new StateGraph(State).addNode('deep', deep).addEdge(START, 'deep').compile();
export default new StateGraph(State)
  .addNode('count', ({ n, asked }) => ({ n: (n ?? 0) + 1, log: [asked] }))
  .addNode('keeping', keeping)
  .addNode('slow', async () => { await Bun.sleep(1500); return {}; })
  .addNode('outer', outer)
  .addEdge(START, 'count').addEdge('count', 'keeping')
  .addConditionalEdges('keeping', ({ asked }) => (asked === 'ask' ? 'outer' : asked === 'slow' ? 'slow' : '__end__'))
  .compile();`;

const service = runningService(runningProvider(), '', { notes: NOTES });
const client = () => new Client({ apiUrl: service.url, apiKey: null });
const turn = (thread: string, asked: string) =>
  client().runs.wait(thread, 'notes', { input: { asked }, ifNotExists: 'create' });
const historyOf = (thread: string) => client().threads.getHistory(thread, { limit: 100 });
const keepLatest = (...threads: string[]) => client().threads.prune(threads, { strategy: 'keep_latest' });

test('a thread keeps only its newest state, and continues from it', async () => {
  for (const input of ['a', 'b', 'c']) await turn('kept', input);
  const before = await historyOf('kept');
  expect(before.length).toBe(12);
  expect(await keepLatest('kept', 'kept', 'unknown')).toEqual({ pruned_count: 1 });
  expect(await historyOf('kept')).toEqual(before.slice(0, 1));
  expect(await keepLatest('kept')).toEqual({ pruned_count: 1 });
  expect(await turn('kept', 'd')).toMatchObject({ n: 4, inner: 4, log: ['a', 'b', 'c', 'd'] });
  expect((await historyOf('kept')).length).toBe(5);
});

test('a thread that waits in a subgraph accepts the answer', async () => {
  await turn('waits', 'a');
  await turn('waits', 'ask');
  const [before] = await historyOf('waits');
  const state = await client().threads.getState('waits', undefined, { subgraphs: true });
  expect(await keepLatest('waits')).toEqual({ pruned_count: 1 });
  const left = await historyOf('waits');
  // It also keeps the state before the question, to which it returns if the question is dropped.
  expect(left.map(({ values }) => (values as { n: number }).n)).toEqual([2, 1]);
  expect(left[0]).toEqual(before as never);
  expect(await client().threads.getState('waits', undefined, { subgraphs: true })).toEqual(state);
  const answered = await client().runs.wait('waits', 'notes', { command: { resume: 'Ann' } });
  expect(answered).toMatchObject({ n: 2, inner: 2, answer: 'Ann' });
  expect((answered as { log: string[] }).log.slice(-2)).toEqual(['first', 'told Ann']);
});

test('a dropped question leads back to the state before it', async () => {
  await service.chat({ conversation_flow: 'notes', thread_id: 'dropped', input: { asked: 'a' } });
  const { body } = await service.chat({
    ...{ conversation_flow: 'notes', thread_id: 'dropped', input: { asked: 'ask' } },
  });
  expect(await keepLatest('dropped')).toEqual({ pruned_count: 1 });
  const cancelled = await service.fetch(`/api/v1/runs/${body.run_id}/cancel`, { method: 'POST' });
  expect(cancelled.status).toBe(200);
  expect((await client().threads.get('dropped')).status).toBe('idle');
  expect(await turn('dropped', 'b')).toMatchObject({ n: 2, inner: 2, log: ['a', 'b'] });
});

test('an answer that fails leaves the state unchanged, pruned or not', async () => {
  const logs: unknown[] = [];
  for (const thread of ['whole', 'pruned']) {
    for (const asked of ['a', 'ask'])
      await service.chat({ conversation_flow: 'notes', thread_id: thread, input: { asked } });
    if (thread === 'pruned') expect(await keepLatest(thread)).toEqual({ pruned_count: 1 });
    expect(await answered(thread, 'fail')).toBe(500);
    const { values } = await client().threads.get(thread);
    expect([thread, (values as { log: string[] }).log]).toEqual([thread, ['a', 'ask']]);
    expect(await answered(thread, 'Ann')).toBe(200);
    logs.push(((await client().threads.get(thread)).values as { log: string[] }).log);
  }
  expect(logs[1]).toEqual(logs[0]);
});

async function answered(thread: string, value: string): Promise<number> {
  const { status } = await service.fetch(`/api/v1/threads/${thread}/resume`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ value }),
  });
  return status;
}

test('the checkpoint that a fork started from is kept', async () => {
  for (const input of ['a', 'b']) await turn('forked', input);
  const first = (await historyOf('forked')).find(({ values }) => (values as { n?: number }).n === 1);
  const checkpoint_id = String(first?.checkpoint.checkpoint_id);
  const made = await service.fetch('/api/v1/threads/forked/fork', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ checkpoint_id, thread_id: 'fork' }),
  });
  expect(made.status).toBe(201);
  await keepLatest('forked');
  expect((await historyOf('forked')).map(({ checkpoint }) => checkpoint.checkpoint_id)).toContain(
    checkpoint_id,
  );
  expect((await historyOf('forked')).length).toBe(2);
});

test('a long history is pruned too', async () => {
  const steps = Array.from({ length: 600 }, (_, n) => ({ updates: [{ values: { n }, asNode: 'count' }] }));
  await client().threads.create({ threadId: 'long', graphId: 'notes', supersteps: steps });
  expect((await client().threads.getHistory('long', { limit: 700 })).length).toBeGreaterThanOrEqual(600);
  expect(await keepLatest('long')).toEqual({ pruned_count: 1 });
  expect((await historyOf('long')).map(({ values }) => (values as { n: number }).n)).toEqual([599]);
});

test('deleted threads no longer exist, and busy or unknown ones are not counted', async () => {
  for (const thread of ['x', 'y']) await turn(thread, 'a');
  await client().threads.create({ threadId: 'busy' });
  const { run_id } = await client().runs.create('busy', 'notes', { input: { asked: 'slow' } });
  expect(await keepLatest('busy')).toEqual({ pruned_count: 0 });
  expect(await client().threads.prune(['x', 'y', 'busy', 'unknown'])).toEqual({ pruned_count: 2 });
  expect(client().threads.get('x')).rejects.toThrow('HTTP 404');
  expect(await client().runs.join('busy', run_id)).toMatchObject({ n: 1 });
});

test('an unknown strategy is rejected', async () => {
  expect(await keepLatest()).toEqual({ pruned_count: 0 });
  const wrong = client().threads.prune(['x'], { strategy: 'all' as never });
  expect(wrong).rejects.toThrow('HTTP 400: strategy');
});
