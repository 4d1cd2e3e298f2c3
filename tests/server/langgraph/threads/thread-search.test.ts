/** Searching threads by fields of their states, and partial threads and states, with LangGraph's own client. */
import { beforeAll, expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';

const ECHO = `
const State = Annotation.Root({ n: Annotation(), kind: Annotation(), messages: Annotation() });
export default new StateGraph(State).addNode('same', ({ n }) => ({ n: (n ?? 0) + 1 })).addEdge(START, 'same').compile();`;

const service = runningService(runningProvider(), '', { echo: ECHO });
const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });
const post = (path: string, body: object) =>
  service.fetch(path, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  });

beforeAll(async () => {
  await client().threads.create({ threadId: 'empty' });
  for (const n of Array.from({ length: 7 }).keys()) {
    const messages = [
      { role: 'user', content: `hi ${n}` },
      { role: 'user', content: 'bye' },
    ];
    const input = { n, messages, kind: { even: n % 2 === 0, tags: ['a', `t${n}`] } };
    await client().runs.wait(`t${n}`, 'echo', { input, ifNotExists: 'create' });
  }
});

test('threads can be searched by fields of their state, and paged', async () => {
  const values = { kind: { even: true } };
  const pages: string[][] = [];
  for (const offset of [0, 3, 4]) {
    const found = await post('/threads/search', {
      values,
      limit: 3,
      offset,
      sort_by: 'created_at',
      sort_order: 'asc',
    });
    pages.push(((await found.json()) as { thread_id: string }[]).map(({ thread_id }) => thread_id));
    expect(found.headers.get('x-pagination-total')).toBe('4');
    expect(found.headers.get('x-pagination-next')).toBe(offset === 0 ? '3' : null);
  }
  expect(pages).toEqual([['t0', 't2', 't4'], ['t6'], []]);
  const first = await post('/threads/search', { values, limit: 1 });
  // Only the next thread is looked for, because reading states takes long.
  expect(first.headers.get('x-pagination-total')).toBe('2');
  expect(first.headers.get('x-pagination-next')).toBe('1');
  expect(await client().threads.count({ values })).toBe(4);
  const tagged = await client().threads.search({ values: { n: 4, kind: { tags: ['t3'] } } });
  expect(tagged.map(({ thread_id }) => thread_id)).toEqual(['t3']);
  expect(await client().threads.count({ values: { kind: { odd: true } } })).toBe(0);
  expect(await client().threads.count({ values: {} })).toBe(8);
});

test('a search finds all threads, also more than one batch', async () => {
  for (const n of Array.from({ length: 105 }).keys()) await client().threads.create({ threadId: `many${n}` });
  expect(await client().threads.count({ values: { kind: { even: false } } })).toBe(3);
});

test('a request without a body has none of the optional fields, and misses the required ones', async () => {
  const bare = (path: string) => service.fetch(path, { method: 'POST' });
  const created = await bare('/threads');
  expect(created.status).toBe(200);
  const { thread_id } = (await created.json()) as { thread_id: string };
  expect((await client().threads.get(thread_id)).metadata).toEqual({});
  await client().threads.delete(thread_id);
  expect(await (await bare('/threads/count')).json()).toBe(await client().threads.count());
  const refused = await bare(`/threads/${thread_id}/runs`);
  expect([refused.status, await refused.text()]).toEqual([
    400,
    'assistant_id: expected string (minLength 1)',
  ]);
  expect((await bare('/api/v1/chat')).status).toBe(400);
});

test('no thread has a graph whose id is not a text', async () => {
  for (const graph_id of [{ toString: 1 }, { a: 1 }, ['echo'], 5])
    expect(await client().threads.count({ metadata: { graph_id } })).toBe(0);
});

test('values at a path are extracted', async () => {
  const extract = {
    first: 'values.messages[0].content',
    last: 'values.messages[-1].content',
    graph: 'metadata.graph_id',
    none: 'values.messages[9].content',
    inherited: 'values.constructor.name',
  };
  const [found] = await client().threads.search({ ids: ['t5'], extract, select: ['thread_id'] });
  expect(found as object).toEqual({
    thread_id: 't5',
    extracted: { first: 'hi 5', last: 'bye', graph: 'echo', none: null, inherited: null },
  });
  const threads = await client().threads.search({ ids: ['t5'], extract: { n: 'values.n' } });
  expect(threads).toMatchObject([{ values: { n: 6 }, extracted: { n: 6 } }]);
  for (const wrong of [{ a: 'values..n' }, { a: 'values[x]' }, eleven()])
    expect((await post('/threads/search', { extract: wrong })).status).toBe(400);
});

test('a state only has the requested fields', async () => {
  const { threads } = client();
  const state = await threads.getState('t1', undefined, { select: ['values.n', 'next'] });
  expect(state as object).toEqual({ values: { n: 2 }, next: [] });
  const { checkpoint } = await threads.getState('t1');
  for (const at of [checkpoint, String(checkpoint.checkpoint_id)])
    expect((await threads.getState('t1', at, { select: ['values.kind'] })) as object).toEqual({
      values: { kind: { even: false, tags: ['a', 't1'] } },
    });
  const history = await threads.getHistory('t1', { select: ['next', 'values.n'] });
  expect(history as object[]).toEqual([
    { values: { n: 2 }, next: [] },
    { values: { n: 1 }, next: ['same'] },
    { values: {}, next: ['__start__'] },
  ]);
  const got = await service.fetch('/threads/t1/history?limit=1&select=next');
  expect(await got.json()).toEqual([{ next: [] }]);
  expect((await threads.getState('t1', undefined, { select: ['values'] })).values).toHaveProperty('messages');
});

test('old clients can merge metadata over the state endpoint, and a change is answered without a body', async () => {
  const { threads } = client();
  await threads.create({ threadId: 'patched', metadata: { a: 1 } });
  await threads.patchState('patched', { b: 2 });
  expect(
    await threads.update('patched', { metadata: { c: 3 }, returnMinimal: true } as never),
  ).toBeUndefined();
  expect((await threads.get('patched')).metadata).toEqual({ a: 1, b: 2, c: 3 });
  expect(threads.patchState('unknown', {})).rejects.toThrow('HTTP 404');
});

function eleven(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`a${n}`, 'values.n']));
}
