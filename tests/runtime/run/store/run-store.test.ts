/** `config.store` in graphs on the service: it is persistent, belongs to its caller, and works completely within a node. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANN, BOB, protectedConfig } from '../../../server/support/credentials.ts';
import { until } from '../../../server/support/until.ts';
import { scriptedProvider } from '../../../support/provider.ts';
import { providerEnv, type TestOptions, type TestService, testService } from '../../../support/service.ts';
import { askState } from '../../../support/stored-state.ts';

// Hashing each password at its first use is slow on a busy machine.
setDefaultTimeout(60_000);

/** Makes the store calls of its prompt: a list of methods with their arguments. Then it may fail. */
const CLERK = `
const work = async (store, prompt) => {
  const { calls, fails } = JSON.parse(prompt);
  const results = [];
  for (const [method, ...given] of calls) results.push((await store[method](...given)) ?? null);
  if (fails) throw new Error('fails');
  return JSON.stringify(results);
};`;

const DEFINITION = `description: 'Keeps things.', example: '{"calls": []}',`;

/** Uses `getStore()` in an agent. */
const AGENT = `${CLERK}
export default workflow({ ${DEFINITION}
  agents: () => [{ name: 'clerk', description: 'Keeps things' }],
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('clerk', agent('clerk', async (_state, { input }) => ({ content: await work(getStore(), input) })))
      .addEdge(START, 'clerk').addEdge('clerk', END),
});`;

/** Uses `config.store` in a plain node of a subgraph whose parent has its own store. */
const NESTED = `${CLERK}
import { InMemoryStore } from '${Bun.resolveSync('@langchain/langgraph', import.meta.dir)}';
const inner = new StateGraph(Conversation)
  .addNode('shelf', async ({ messages }, { store }) =>
    ({ messages: [new AIMessage(await work(store, messages.at(-1).text))] }))
  .addEdge(START, 'shelf').addEdge('shelf', END).compile({ store: new InMemoryStore() });
export default workflow({ ${DEFINITION}
  agents: () => [],
  build: () => new StateGraph(Conversation)
    .addNode('inner', inner).addEdge(START, 'inner').addEdge('inner', END),
});`;

/** Stores the number of its calls, and uses a prompt file. */
const COUNTER = `
export default workflow({ ${DEFINITION}
  agents: () => [{ name: 'counter', description: 'Counts' }],
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('counter', agent('counter', async (_state, { answer, prompt }) => {
        const store = getStore();
        const times = ((await store.get(['count'], 'calls'))?.value.times ?? 0) + 1;
        await store.put(['count'], 'calls', { times });
        const { content } = await answer(await prompt());
        const [found] = await store.search(['count']);
        return { content: content + ' ' + found.value.times };
      }))
      .addEdge(START, 'counter').addEdge('counter', END),
});`;

const graphs = { clerk: AGENT, nested: NESTED, counter: COUNTER };
const root = mkdtempSync(join(tmpdir(), 'skein-store-'));
afterAll(() => rmSync(root, { recursive: true }));

const running = new Set<TestService>();
afterEach(async () => {
  for (const service of running) await service.close();
  running.clear();
});

async function startService(folder: string, options: TestOptions = {}): Promise<TestService> {
  const service = await testService({ folder: join(root, folder), graphs, ...options });
  running.add(service);
  return service;
}

async function stop(service: TestService): Promise<void> {
  running.delete(service);
  await service.close();
}

type Call = [method: string, ...given: unknown[]];

interface TurnOptions {
  flow?: string;
  thread?: string;
  headers?: Record<string, string>;
  fails?: boolean;
}

/** Returns the results of the calls, or the error code if the turn failed. */
async function runCalls(service: TestService, calls: Call[], options: TurnOptions = {}) {
  const { flow = 'clerk', thread, headers, fails } = options;
  const { body } = await service.chat(
    { conversation_flow: flow, user_prompt: JSON.stringify({ calls, fails }), thread_id: thread },
    headers,
  );
  return body.error_code ?? JSON.parse(body.outputs[0]?.content ?? body.agent_response);
}

const PUT: Call = ['put', ['notes', 'ann'], 'k', { colour: 'red' }];
const GET: Call = ['get', ['notes', 'ann'], 'k'];

test('an item that one thread has stored is found by other threads, even after a restart and after the thread is deleted', async () => {
  const first = await startService('threads');
  expect(await runCalls(first, [PUT], { thread: 'one' })).toEqual([null]);
  expect(await runCalls(first, [GET], { thread: 'two' })).toMatchObject([{ value: { colour: 'red' } }]);
  const deleted = await first.fetch('/api/v1/threads/one', { method: 'DELETE' });
  expect(deleted.status).toBe(204);
  await stop(first);
  const second = await startService('threads');
  expect(await runCalls(second, [GET], { flow: 'nested' })).toMatchObject([
    { key: 'k', value: { colour: 'red' } },
  ]);
});

test.each(['clerk', 'nested'])('all methods of the store work within a node (%s)', async (flow) => {
  const service = await startService(`all-${flow}`);
  const results = await runCalls(
    service,
    [
      PUT,
      ['put', ['notes', 'bob'], 'l', { colour: 'blue' }],
      ['listNamespaces', { prefix: ['notes', '*'] }],
      ['listNamespaces', { maxDepth: 1 }],
      ['search', ['notes'], { filter: { colour: { $ne: 'red' } } }],
      [
        'batch',
        [
          { namespace: ['notes', 'bob'], key: 'l' },
          { namespacePrefix: [], limit: 1 },
        ],
      ],
      ['delete', ['notes', 'bob'], 'l'],
      ['search', ['notes'], { query: 'anything' }],
    ],
    { flow },
  );
  expect(results).toMatchObject([
    null,
    null,
    [
      ['notes', 'ann'],
      ['notes', 'bob'],
    ],
    [['notes']],
    [{ key: 'l', namespace: ['notes', 'bob'] }],
    [{ value: { colour: 'blue' } }, [{ key: 'k' }]],
    null,
    [{ key: 'k' }],
  ]);
});

test('items stored by a failed turn are kept, and an item that the store rejects fails the turn', async () => {
  const service = await startService('failed');
  expect(await runCalls(service, [PUT], { thread: 't', fails: true })).toBe('INTERNAL_ERROR');
  expect(await runCalls(service, [GET], { thread: 't' })).toMatchObject([{ value: { colour: 'red' } }]);
  expect(await runCalls(service, [['put', ['a.b'], 'k', {}]])).toBe('INTERNAL_ERROR');
  expect(await runCalls(service, [['put', ['a'], 'k'.repeat(3_000), {}]])).toBe('INTERNAL_ERROR');
  expect(await runCalls(service, [['listNamespaces']])).toEqual([[['notes', 'ann']]]);
});

test('each caller has its own store', async () => {
  const service = await startService('callers', { config: protectedConfig() });
  await runCalls(service, [PUT], { headers: ANN, thread: 't' });
  expect(
    await runCalls(service, [GET, ['search', []], ['listNamespaces']], { headers: BOB, thread: 't' }),
  ).toEqual([null, [], []]);
  await runCalls(service, [['delete', ['notes', 'ann'], 'k']], { headers: BOB });
  expect(await runCalls(service, [GET], { headers: ANN })).toMatchObject([{ value: { colour: 'red' } }]);
});

test('with store.shared, all callers share a store, which is separate from their own', async () => {
  const separate = await startService('shared', { config: protectedConfig() });
  await runCalls(separate, [['put', ['own'], 'k', {}]], { headers: ANN });
  await stop(separate);
  const service = await startService('shared', { config: `${protectedConfig()}store: { shared: true }\n` });
  await runCalls(service, [PUT], { headers: ANN });
  expect(await runCalls(service, [GET, ['listNamespaces']], { headers: BOB })).toMatchObject([
    { value: { colour: 'red' } },
    [['notes', 'ann']],
  ]);
});

const keysIn = async (folder: string) =>
  (await askState<{ key: string }>(folder, 'SELECT key FROM items')).map(({ key }) => key);

test('an item expires with its TTL, and the sweep after a start deletes it from the file', async () => {
  const first = await startService('ttl');
  const put = (key: string, ttl: number): Call => ['put', ['n'], key, {}, null, { ttl }];
  await runCalls(first, [put('short', 0.0001), put('old', 60), put('long', 60)]);
  await until(async () => (await runCalls(first, [['get', ['n'], 'short']]))[0] === null);
  expect(await runCalls(first, [['search', ['n']]], { flow: 'nested' })).toMatchObject([
    [{ key: 'old' }, { key: 'long' }],
  ]);
  await stop(first);
  const folder = join(root, 'ttl');
  await askState(folder, `UPDATE items SET expires_at = 1 WHERE key = 'old'`);
  expect(await keysIn(folder)).toContain('old');
  await startService('ttl');
  await until(async () => (await keysIn(folder)).length === 1);
  expect(await keysIn(folder)).toEqual(['long']);
});

const FRUIT: Call[] = [
  ['put', ['food'], 'green', { text: 'A green bicycle' }],
  ['put', ['food'], 'red', { text: 'A red apple, ripe' }],
];
const APPLES: Call = ['search', ['food'], { query: 'ripe apples' }];

test.each(['clerk', 'nested'])(
  'with the built-in embedder, a query ranks items within a node (%s)',
  async (flow) => {
    const config = 'store: { index: { embed: built-in, fields: [text] } }\n';
    const service = await startService(`ranks-${flow}`, { config });
    const [, , found] = await runCalls(service, [...FRUIT, APPLES], { flow });
    expect(found).toMatchObject([{ key: 'red' }, { key: 'green' }]);
    expect(found[0].score).toBeGreaterThan(0.3);
    expect(found[1].score).toBeLessThan(found[0].score);
    const unindexed: Call = ['put', ['food'], 'red', { text: 'A red apple, ripe' }, false];
    const [, again] = await runCalls(service, [unindexed, APPLES], { flow });
    expect(again.map(({ key }: { key: string }) => key)).toEqual(['green', 'red']);
  },
);

/** An embedding model in which names of colours are nearer to each other than to anything else. */
function colours(request: unknown): object {
  const { input } = request as { input: string[] };
  const data = input.map((text, index) => ({ index, embedding: [/red|blue/.test(text) ? 1 : 0, 0.1] }));
  return Response.json({ data });
}

test('a configured embedding model is used for the store, unless that is turned off', async () => {
  const provider = scriptedProvider((request) => colours(request));
  const env = { ...providerEnv(provider.url), LLM_PROVIDER_EMBEDDING_MODEL: 'embed-1' };
  const on = await startService('embeds', { env });
  const query: Call = ['search', ['food'], { query: 'blue', limit: 1 }];
  expect((await runCalls(on, [...FRUIT, query]))[2]).toMatchObject([
    { key: 'red', score: expect.closeTo(1) },
  ]);
  expect(provider.requests.map(({ model }) => model)).toEqual(['embed-1', 'embed-1', 'embed-1']);
  provider.script = () => new Response(null, { status: 401 });
  const failing: Call[] = [['put', ['food'], 'blue', { text: 'A blue pear' }]];
  expect(await runCalls(on, failing)).toBe('MODEL_CALL_FAILED');
  expect(await runCalls(on, [query])).toBe('MODEL_CALL_FAILED');
  await stop(on);
  const requestCount = provider.requests.length;
  const off = await startService('embeds', { env, config: 'store: { index: { embed: none } }\n' });
  const [found] = await runCalls(off, [['search', ['food'], { query: 'blue' }]]);
  expect(found.map(({ key, score }: { key: string; score?: number }) => [key, score])).toEqual([
    ['green', undefined],
    ['red', undefined],
  ]);
  expect(provider.requests).toHaveLength(requestCount);
  await provider.close();
});

test('vectors of the wrong length are rejected with the name of the setting', async () => {
  const config = 'store: { index: { embed: built-in, dims: 384 } }\n';
  const service = await startService('dims', { config });
  const { body } = await service.chat({
    conversation_flow: 'clerk',
    user_prompt: JSON.stringify({ calls: FRUIT }),
  });
  expect(body.error_code).toBe('CONFIGURATION_ERROR');
  expect(JSON.stringify(body)).toContain('store.index.dims');
  expect(await runCalls(service, [['listNamespaces']])).toEqual([[]]);
});

test('store.ttl has the default of every put and the interval of the sweep', async () => {
  const config =
    'store: { ttl: { default_ttl: 0.001, refresh_on_read: false, sweep_interval_minutes: 0.001 } }\n';
  const service = await startService('default-ttl', { config });
  await runCalls(service, [PUT, ['put', ['n'], 'kept', {}, null, { ttl: 60 }]]);
  const folder = join(root, 'default-ttl');
  await until(async () => (await keysIn(folder)).length === 1);
  await runCalls(service, [PUT]);
  await until(async () => (await keysIn(folder)).length === 1);
  expect(await runCalls(service, [['search', []]])).toMatchObject([[{ key: 'kept' }]]);
});

test('a dry run reads the stored items, and its changes are visible only to itself', async () => {
  const provider = scriptedProvider(() => 'Asked');
  const folder = join(root, 'dry');
  await Bun.write(join(folder, 'graphs/counter/prompts/counter.counter.jinja'), 'Count.');
  const service = await startService('dry', { env: providerEnv(provider.url) });
  const ask = async () =>
    (await service.chat({ conversation_flow: 'counter', user_prompt: 'Go', thread_id: 't' })).body;
  expect((await ask()).agent_response).toEndWith('Asked 1');
  expect((await ask()).agent_response).toEndWith('Asked 2');
  const response = await service.fetch('/api/v1/prompts/dry-run/default/counter.counter.jinja', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Count!', turns: 2 }),
  });
  const { workflow_turns } = (await response.json()) as { workflow_turns: { after: string }[] };
  expect(workflow_turns.map(({ after }) => after)).toEqual([
    expect.stringMatching(/Asked 3$/),
    expect.stringMatching(/Asked 3$/),
  ]);
  expect((await ask()).agent_response).toEndWith('Asked 3');
  await provider.close();
});
