/** GET /api/v1/store: pages of a caller's namespaces and items, with the times of the items. */
import { beforeAll, expect, test } from 'bun:test';
import { ANN, BOB, protectedConfig, ROBOT } from './support/credentials.ts';
import { runningProvider, runningService } from './support/running.ts';

const provider = runningProvider();
const service = runningService(provider, protectedConfig('operators: ["user:ann"]'));

async function put(namespace: string[], key: string, value: object, ttl?: number) {
  const response = await service.fetch('/store/items', {
    ...{ method: 'PUT', headers: { ...BOB, 'content-type': 'application/json' } },
    body: JSON.stringify({ namespace, key, value, ...(ttl && { ttl }) }),
  });
  expect(response.status).toBe(204);
}

async function read(path: string, query: Record<string, string> = {}, who: Record<string, string> = BOB) {
  const response = await service.fetch(`/api/v1/store/${path}?${new URLSearchParams(query)}`, {
    headers: who,
  });
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  const body: any = await response.json();
  return { status: response.status, body };
}

beforeAll(async () => {
  await put(['users', 'bob'], 'a/b ?', { colour: 'red', ['x'.repeat(100)]: 1 });
  await put(['users', 'bob'], 'passing', { note: 'x' }, 90);
  await put(['users'], 'above', {});
  await put(['usersx'], 'other', {});
});

test('namespaces are listed by their labels, below a prefix and with pages', async () => {
  const { body } = await read('namespaces');
  const names = ({ namespaces }: { namespaces: { namespace: string[] }[] }) =>
    namespaces.map(({ namespace }) => namespace.join('.'));
  expect(names(body)).toEqual(['users', 'users.bob', 'usersx']);
  expect(names((await read('namespaces', { prefix: 'users' })).body)).toEqual(['users', 'users.bob']);
  const first = (await read('namespaces', { limit: '2' })).body;
  const second = (await read('namespaces', { limit: '2', cursor: first.next_cursor })).body;
  expect([names(first), names(second), second.next_cursor]).toEqual([
    ['users', 'users.bob'],
    ['usersx'],
    null,
  ]);
});

test('items are listed with their times and without values, and one is read with its value', async () => {
  const { body } = await read('items', { prefix: 'users' });
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(body.items).toEqual([
    {
      ...{ namespace: ['users', 'bob'], key: 'a/b ?', fields: ['colour', 'x'.repeat(60)] },
      ...{ created_at: time, updated_at: time, expires_at: null, ttl_minutes: null },
    },
    expect.objectContaining({ key: 'passing', expires_at: time, ttl_minutes: 90 }),
    expect.objectContaining({ key: 'above', fields: [] }),
  ]);
  const first = (await read('items', { limit: '3' })).body;
  const rest = (await read('items', { limit: '3', cursor: first.next_cursor })).body;
  expect([first.items.length, rest.items.length, rest.next_cursor]).toEqual([3, 1, null]);
  const one = await read('item', { namespace: 'users.bob', key: 'a/b ?' });
  expect(one.body).toMatchObject({
    namespace: ['users', 'bob'],
    value: { colour: 'red' },
    ttl_minutes: null,
  });
});

test('reading an item does not extend its life', async () => {
  const before = (await read('item', { namespace: 'users.bob', key: 'passing' })).body.expires_at;
  await Bun.sleep(5);
  await read('items');
  const { body } = await read('item', { namespace: 'users.bob', key: 'passing' });
  expect(body.expires_at).toBe(before);
});

test("an operator can read a caller's store, and others see nothing of another's", async () => {
  expect((await read('items', {}, ANN)).body.items).toEqual([]);
  const named = await read('item', { namespace: 'users.bob', key: 'passing', owner: 'user:bob' }, ANN);
  expect(named.body.value).toEqual({ note: 'x' });
  const all = await read('items', { owner: '*' }, ANN);
  expect([all.status, all.body.detail]).toEqual([400, 'owner: expected the caller who owns the store']);
  const theirs = await read('item', { namespace: 'users.bob', key: 'passing', owner: 'user:bob' }, ROBOT);
  const none = await read('item', { namespace: 'none', key: 'x' });
  expect([theirs.status, none.status]).toEqual([404, 404]);
  expect(theirs.body.message).toBe('Item not found in the store');
  expect((await read('namespaces', { owner: 'user:bob' }, ROBOT)).body.namespaces).toEqual([]);
});

test.each([
  ['items', { prefix: 'a:b' }, 'colons'],
  ['items', { prefix: 'a..b' }, 'empty'],
  ['items', { prefix: 'x'.repeat(2_101) }, 'prefix'],
  ['items', { limit: '1000' }, 'limit'],
  ['items', { cursor: 'items.n-1' }, 'cursor'],
  ['item', { namespace: 'a' }, 'key'],
  ['item', { namespace: 'a', key: '\0' }, 'key'],
  ['item', { namespace: 'a:b', key: 'x' }, 'colons'],
])('invalid values are rejected with their parameter, %#', async (path, query, detail) => {
  const { status, body } = await read(path, query as Record<string, string>);
  expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST']);
  expect(body.detail).toContain(detail);
});
