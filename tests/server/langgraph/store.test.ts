/** The store over LangGraph's protocol, with LangGraph's own client. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../support/running.ts';

const NOTES = `
export default new StateGraph(Annotation.Root({ user: Annotation(), note: Annotation() }))
  .addNode('read', async ({ user }, { store }) => ({ note: (await store.get(['users', user], 'note'))?.value ?? null }))
  .addEdge(START, 'read')
  .compile();`;

const AUTH = {
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__ENABLE: 'true',
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__ENABLE_GLOBAL_MIDDLEWARE: 'true',
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__USERNAME: 'ann',
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__PASSWORD: 'a long password',
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__JWT_SECRET_KEY: 'x'.repeat(64),
};

const service = runningService(runningProvider(), '', { notes: NOTES });
const store = () => new Client({ apiUrl: service.url, apiKey: null }).store;

test('items that a client puts are visible to graphs, and vice versa', async () => {
  await store().putItem(['users', 'ann'], 'note', { likes: 'rain' });
  const { body } = await service.chat({ conversation_flow: 'notes', input: { user: 'ann' } });
  expect(body.values).toEqual({ user: 'ann', note: { likes: 'rain' } });
  expect(await store().getItem(['users', 'ann'], 'note')).toMatchObject({
    ...{ namespace: ['users', 'ann'], key: 'note', value: { likes: 'rain' } },
    createdAt: expect.any(String),
  });
});

test('items can be searched with filters below a namespace prefix, listed by namespace, and deleted', async () => {
  for (const [name, age] of [
    ['bo', 3],
    ['boris', 30],
  ] as const)
    await store().putItem(['people', name], 'about', { age });
  const found = await store().searchItems(['people'], { filter: { age: { $gt: 10 } } });
  expect(found.items.map(({ namespace }) => namespace)).toEqual([['people', 'boris']]);
  expect((await store().searchItems(['people', 'bo'])).items).toHaveLength(1);
  const { namespaces } = await store().listNamespaces({ prefix: ['people'] });
  expect(namespaces.toSorted()).toEqual([
    ['people', 'bo'],
    ['people', 'boris'],
  ]);
  await store().deleteItem(['people', 'bo'], 'about');
  expect(await store().getItem(['people', 'bo'], 'about')).toBeNull();
});

test('invalid labels are rejected with the reason', async () => {
  const put = (namespace: string[]) =>
    service.fetch('/store/items', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ namespace, key: 'k', value: {} }),
    });
  for (const namespace of [['a.b'], [''], []]) {
    const refused = await put(namespace);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([422, 'text/plain;charset=utf-8']);
    expect(await refused.text()).toMatch(/namespace/i);
  }
});

const guarded = runningService(runningProvider(), '', {}, AUTH);

test('without credentials every request is rejected', async () => {
  const response = await guarded.fetch('/store/items?namespace=a&key=b');
  expect([response.status, response.headers.get('content-type')]).toEqual([401, 'text/plain;charset=utf-8']);
  expect((await guarded.fetch('/info')).status).toBe(200);
});
