/** The contract of stores, including LangGraph's in-memory store, and of `Items`. */
import { expect, test } from 'bun:test';
import type { BaseStore, Operation } from '@langchain/langgraph-checkpoint';
import type { Items } from '../../state/items/items.ts';
import { ItemStore } from '../../state/items/store.ts';

/** `open` returns an empty store. */
export function storeContract(
  name: string,
  open: () => Promise<{ store: BaseStore; close: () => Promise<void> }>,
): void {
  async function opened(use: (store: BaseStore) => Promise<void>): Promise<void> {
    const { store, close } = await open();
    try {
      await use(store);
    } finally {
      await close();
    }
  }

  const keys = (items: { key: string }[]) => items.map(({ key }) => key);

  test(`${name}: puts, gets, changes and deletes an item`, () =>
    opened(async (store) => {
      expect(await store.get(['a', 'b'], 'k')).toBeNull();
      await store.put(['a', 'b'], 'k', { n: 1 });
      const first = await store.get(['a', 'b'], 'k');
      expect(first).toMatchObject({ namespace: ['a', 'b'], key: 'k', value: { n: 1 } });
      expect(first?.createdAt).toBeInstanceOf(Date);
      const made = first?.createdAt.getTime();
      await store.put(['a', 'b'], 'k', { m: 2 });
      const second = await store.get(['a', 'b'], 'k');
      expect(second?.value).toEqual({ m: 2 });
      expect(second?.createdAt.getTime()).toBe(Number(made));
      expect(Number(second?.updatedAt)).toBeGreaterThanOrEqual(Number(made));
      expect(await store.get(['a'], 'k')).toBeNull();
      await store.delete(['a', 'b'], 'k');
      await store.delete(['a', 'b'], 'never there');
      expect(await store.get(['a', 'b'], 'k')).toBeNull();
    }));

  test(`${name}: a search matches whole labels, in order of creation and in pages`, () =>
    opened(async (store) => {
      for (const key of ['c', 'a', 'b']) await store.put(['users', 'ann'], key, { key });
      await store.put(['users', 'anna'], 'other', {});
      await store.put(['users'], 'above', {});
      await store.put(['users', 'ann'], 'a', { again: true });
      expect(keys(await store.search(['users', 'ann']))).toEqual(['c', 'a', 'b']);
      expect(keys(await store.search(['users', 'ann'], { limit: 1, offset: 1 }))).toEqual(['a']);
      expect(await store.search(['users', 'ann'], { limit: 0 })).toEqual([]);
      expect(keys(await store.search(['users'])).sort()).toEqual(['a', 'above', 'b', 'c', 'other']);
      expect(await store.search([])).toHaveLength(5);
      expect(await store.search(['user'])).toEqual([]);
      for (let n = 0; n < 12; n++) await store.put(['many'], `k${n}`, {});
      expect(await store.search(['many'])).toHaveLength(10);
    }));

  test(`${name}: a filter compares fields, with operators or without`, () =>
    opened(async (store) => {
      const values = [
        { name: 'bell', price: 4, sold: true, tags: ['x'] },
        { name: 'light', price: 25, sold: false, note: null },
        { name: 'lock', price: 40, sold: true },
      ];
      for (const value of values) await store.put(['shop'], value.name, value);
      const found = async (filter: Record<string, unknown>) => keys(await store.search(['shop'], { filter }));
      expect(await found({ sold: true })).toEqual(['bell', 'lock']);
      expect(await found({ sold: true, name: 'lock' })).toEqual(['lock']);
      expect(await found({ price: { $gt: 4 } })).toEqual(['light', 'lock']);
      expect(await found({ price: { $gte: 4, $lt: 40 } })).toEqual(['bell', 'light']);
      expect(await found({ price: { $lte: 4 } })).toEqual(['bell']);
      expect(await found({ price: { $eq: 40 } })).toEqual(['lock']);
      expect(await found({ name: { $ne: 'lock' } })).toEqual(['bell', 'light']);
      expect(await found({ name: { $in: ['lock', 'bell'] } })).toEqual(['bell', 'lock']);
      expect(await found({ name: { $nin: ['lock', 'bell'] } })).toEqual(['light']);
      expect(await found({ note: null })).toEqual(['light']);
      expect(await found({ price: '4' })).toEqual([]);
      expect(await found({ price: { $like: 4 } })).toEqual([]);
      expect(await found({ missing: 1 })).toEqual([]);
      expect(await found({})).toHaveLength(3);
      const page = await store.search(['shop'], { filter: { sold: true }, offset: 1, limit: 5 });
      expect(keys(page)).toEqual(['lock']);
    }));

  test(`${name}: without an index, a query does not rank and there are no scores`, () =>
    opened(async (store) => {
      await store.put(['d'], 'one', { text: 'apples' }, ['text']);
      await store.put(['d'], 'two', { text: 'bicycles' }, false);
      const found = await store.search(['d'], { query: 'bicycles' });
      expect(keys(found)).toEqual(['one', 'two']);
      expect(found.map(({ score }) => score)).toEqual([undefined, undefined]);
    }));

  test(`${name}: namespaces are listed by prefix, suffix and depth, with wildcards`, () =>
    opened(async (store) => {
      const all = [
        ['docs', 'ann', 'v1'],
        ['docs', 'ann', 'v2'],
        ['docs', 'bob', 'v1'],
        ['docs2', 'bob', 'v1'],
        ['notes', 'v1'],
      ];
      for (const namespace of all) await store.put(namespace, 'k', {});
      expect(await store.listNamespaces()).toEqual(all);
      expect(await store.listNamespaces({ prefix: ['docs'] })).toEqual(all.slice(0, 3));
      expect(await store.listNamespaces({ prefix: ['docs', '*', 'v1'] })).toEqual([
        ['docs', 'ann', 'v1'],
        ['docs', 'bob', 'v1'],
      ]);
      expect(await store.listNamespaces({ suffix: ['v1'], prefix: ['*', 'bob'] })).toEqual([
        ['docs', 'bob', 'v1'],
        ['docs2', 'bob', 'v1'],
      ]);
      expect(await store.listNamespaces({ suffix: ['*', 'v2'] })).toEqual([['docs', 'ann', 'v2']]);
      expect(await store.listNamespaces({ prefix: ['doc'] })).toEqual([]);
      expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([['docs'], ['docs2'], ['notes']]);
      expect(await store.listNamespaces({ limit: 2, offset: 1 })).toEqual(all.slice(1, 3));
    }));

  test(`${name}: a batch returns results in the order of operations, and its reads don't see its writes`, () =>
    opened(async (store) => {
      await store.put(['a'], 'old', { n: 1 });
      const operations: Operation[] = [
        { namespace: ['a'], key: 'new', value: { n: 2 } },
        { namespace: ['a'], key: 'old' },
        { namespace: ['a'], key: 'new' },
        { namespacePrefix: ['a'], limit: 10, offset: 0 },
        { namespace: ['a'], key: 'old', value: null },
        { namespace: ['b'], key: 'twice', value: { n: 3 } },
        { namespace: ['b'], key: 'twice', value: { n: 4 } },
        { matchConditions: [{ matchType: 'prefix', path: ['*'] }], limit: 10, offset: 0 },
      ];
      const results = await store.batch(operations);
      expect(results).toHaveLength(8);
      expect(results[1]).toMatchObject({ value: { n: 1 } });
      expect(results[2]).toBeNull();
      expect(results[3]).toMatchObject([{ key: 'old' }]);
      expect(results[7] as unknown).toEqual([['a']]);
      expect(keys(await store.search([]))).toEqual(['new', 'twice']);
      expect((await store.get(['b'], 'twice'))?.value).toEqual({ n: 4 });
    }));

  test(`${name}: an invalid namespace is rejected with its reason`, () =>
    opened(async (store) => {
      const refused = [[], ['a.b'], ['a', ''], ['a:b'], ['langgraph', 'x'], [7 as unknown as string], ['\0']];
      for (const namespace of refused) {
        const error = await store.put(namespace, 'k', {}).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: 'InvalidNamespaceError' });
      }
      expect(await store.search([])).toEqual([]);
    }));
}

/** `reopen` closes the state and opens another one on the same data. */
export function itemsContract(
  open: () => Promise<{ items: Items; reopen: () => Promise<Items>; close: () => Promise<void> }>,
): void {
  const START = Date.UTC(2026, 0, 1);
  const MINUTE = 60_000;

  async function opened(
    use: (given: {
      items: Items;
      reopen: () => Promise<Items>;
      clock: { now: number };
      of: (owner: string, items?: Items) => ItemStore;
    }) => Promise<void>,
  ): Promise<void> {
    const { items, reopen, close } = await open();
    const clock = { now: START };
    const of = (owner: string, over = items) => new ItemStore(over, owner, { now: () => clock.now });
    try {
      await use({ items, reopen, clock, of });
    } finally {
      await close();
    }
  }

  test('an owner never sees items of others', () =>
    opened(async ({ of }) => {
      const [ann, bob] = [of('ann'), of('bob')];
      await ann.put(['n'], 'k', { of: 'ann' });
      await bob.put(['n'], 'k', { of: 'bob' });
      await ann.put(['only', 'ann'], 'k', {});
      expect((await ann.get(['n'], 'k'))?.value).toEqual({ of: 'ann' });
      expect(await bob.search([])).toMatchObject([{ value: { of: 'bob' } }]);
      expect(await bob.listNamespaces()).toEqual([['n']]);
      expect(await bob.get(['only', 'ann'], 'k')).toBeNull();
      await bob.delete(['n'], 'k');
      expect(await ann.get(['n'], 'k')).not.toBeNull();
    }));

  test('items survive a restart', () =>
    opened(async ({ of, reopen }) => {
      await of('ann').put(['n'], 'k', { n: 1 });
      const again = of('ann', await reopen());
      expect((await again.get(['n'], 'k'))?.value).toEqual({ n: 1 });
    }));

  test('a read sees earlier writes that were not awaited', () =>
    opened(async ({ of }) => {
      const store = of('ann');
      const put = store.put(['n'], 'k', { n: 1 });
      expect(await store.get(['n'], 'k')).toMatchObject({ value: { n: 1 } });
      expect(await store.search(['n'])).toHaveLength(1);
      await put;
    }));

  test('an item expires `ttl` minutes after its last write or read', () =>
    opened(async ({ of, clock }) => {
      const store = of('ann');
      await store.put(['n'], 'read', {}, undefined, { ttl: 1 });
      await store.put(['n'], 'left', {}, undefined, { ttl: 1 });
      await store.put(['n'], 'kept', {});
      clock.now += 0.75 * MINUTE;
      expect(await store.get(['n'], 'read')).not.toBeNull();
      clock.now += 0.75 * MINUTE;
      expect((await store.search(['n'])).map(({ key }) => key)).toEqual(['read', 'kept']);
      expect(await store.get(['n'], 'left')).toBeNull();
      // The search counts as a read.
      clock.now += 0.75 * MINUTE;
      expect(await store.search(['n'], { refreshTtl: false })).toHaveLength(2);
      clock.now += 0.75 * MINUTE;
      expect((await store.search(['n'])).map(({ key }) => key)).toEqual(['kept']);
      expect(await store.search(['n'], { filter: {} })).toHaveLength(1);
      await store.delete(['n'], 'kept');
      expect(await store.listNamespaces()).toEqual([]);
    }));

  test('an item has its expiry, which reads without refresh do not change', () =>
    opened(async ({ of, clock }) => {
      const store = of('ann');
      await store.put(['n'], 'k', {}, undefined, { ttl: 1.5 });
      await store.put(['n'], 'kept', {});
      const life = { ttlMinutes: 1.5, expiresAt: new Date(clock.now + 1.5 * MINUTE) };
      clock.now += MINUTE;
      expect(await store.get(['n'], 'k', { refreshTtl: false })).toMatchObject(life);
      const [found, kept] = await store.search(['n'], { refreshTtl: false });
      expect(found).toMatchObject(life);
      expect(Object.keys(kept ?? {}).sort()).toEqual(['createdAt', 'key', 'namespace', 'updatedAt', 'value']);
      await store.get(['n'], 'k');
      const after = await store.get(['n'], 'k', { refreshTtl: false });
      expect(after?.expiresAt?.getTime()).toBe(clock.now + 1.5 * MINUTE);
    }));

  test('a put after expiry creates a new item; without a time to live it does not expire', () =>
    opened(async ({ of, clock }) => {
      const store = of('ann');
      await store.put(['n'], 'k', { n: 1 }, undefined, { ttl: 1 });
      clock.now += 2 * MINUTE;
      await store.put(['n'], 'k', { n: 2 });
      expect((await store.get(['n'], 'k'))?.createdAt.getTime()).toBe(clock.now);
      clock.now += 1_000 * MINUTE;
      expect((await store.get(['n'], 'k'))?.value).toEqual({ n: 2 });
      await store.put(['n'], 'k', { n: 3 }, undefined, { ttl: 0.001 });
      clock.now += 100;
      expect(await store.get(['n'], 'k')).toBeNull();
    }));

  test('the default time to live applies to puts without one; null means none', () =>
    opened(async ({ items, clock }) => {
      const store = new ItemStore(items, 'ann', { ttl: { minutes: 2 }, now: () => clock.now });
      await store.put(['n'], 'default', {});
      await store.batch([{ namespace: ['n'], key: 'batch', value: {} }]);
      await store.put(['n'], 'own', {}, undefined, { ttl: 1 });
      await store.put(['n'], 'never', {}, undefined, { ttl: null });
      await store.put(['n'], 'unnamed', {}, undefined, { ttl: undefined });
      const keys = async () => (await store.search(['n'], { refreshTtl: false })).map(({ key }) => key);
      clock.now += 1.5 * MINUTE;
      expect(await keys()).toEqual(['default', 'batch', 'never', 'unnamed']);
      clock.now += MINUTE;
      expect(await keys()).toEqual(['never']);
    }));

  test('if reads do not refresh by default, only reads with `refreshTtl` do', () =>
    opened(async ({ items, clock }) => {
      const ttl = { minutes: 2, refreshOnRead: false };
      const store = new ItemStore(items, 'ann', { ttl, now: () => clock.now });
      for (const key of ['read', 'asked']) await store.put(['n', key], key, {});
      clock.now += 1.5 * MINUTE;
      expect(await store.get(['n', 'read'], 'read')).not.toBeNull();
      expect(await store.search(['n', 'read'])).toHaveLength(1);
      expect(await store.search(['n', 'asked'], { refreshTtl: true })).toHaveLength(1);
      clock.now += MINUTE;
      expect(await store.search(['n'])).toMatchObject([{ key: 'asked' }]);
    }));

  test('labels and keys with special characters are kept unchanged', () =>
    opened(async ({ of }) => {
      const store = of('ann');
      const labels = [
        '%',
        '_',
        'a%',
        'a_b',
        'axb',
        'ä',
        'a\u0308',
        '日本',
        '🚲',
        ' ',
        "'; --",
        '*',
        '__proto__',
      ];
      const places = [...labels, ';', 'x'.repeat(1_900)];
      for (const label of places) await store.put(['n', label], label, { label });
      for (const label of places) {
        expect((await store.get(['n', label], label))?.value).toEqual({ label });
        expect(await store.search(['n', label], { filter: { label } })).toMatchObject([{ key: label }]);
        expect(await store.search(['n', label])).toHaveLength(1);
      }
      expect(await store.search(['n'], { limit: 100 })).toHaveLength(places.length);
      expect(await store.listNamespaces({ prefix: ['n'] })).toHaveLength(places.length);
      const dots = await store.put(['n'], 'a.b:c/../d', { n: 1 }).then(() => store.get(['n'], 'a.b:c/../d'));
      expect(dots?.key).toBe('a.b:c/../d');
    }));

  test('rejects invalid or too long keys and values with a reason, and stores nothing of the batch', () =>
    opened(async ({ of }) => {
      const store = of('ann');
      const long = 'x'.repeat(2_001);
      const refused: [() => Promise<unknown>, string][] = [
        [() => store.put([long], 'k', {}), 'at most 2000 characters together, not 2001'],
        [() => store.put(Array(65).fill('x'), 'k', {}), 'at most 64 labels, not 65'],
        [() => store.put(['\ud83d'], 'k', {}), 'halves of surrogate pairs'],
        [() => store.put(['n'], long, {}), 'at most 2000 characters, not 2001'],
        [() => store.put(['n'], '\udc00', {}), 'halves of surrogate pairs'],
        [() => store.put(['n'], 7 as unknown as string, {}), 'must be a string'],
        [() => store.put(['n'], 'k', { long: 'x'.repeat(9_000_000) }), 'at most 8388608 characters as JSON'],
        [() => store.put(['n'], 'k', undefined as unknown as object), 'cannot be undefined'],
        [() => store.put(['n'], 'k', {}, undefined, { ttl: 0 }), 'number of minutes above 0'],
        [() => store.put(['n'], 'k', {}, undefined, { ttl: Number.NaN }), 'number of minutes above 0'],
        [() => store.get('n' as unknown as string[], 'k'), 'list of strings'],
        [() => store.search(['n'], { limit: -1 }), 'at least 0'],
      ];
      for (const [call, message] of refused) expect(call()).rejects.toThrow(message);
      const batch: Operation[] = [
        { namespace: ['n'], key: 'good', value: {} },
        { namespace: ['n'], key: long, value: {} },
      ];
      expect(store.batch(batch)).rejects.toThrow('at most 2000');
      expect(await store.search([])).toEqual([]);
    }));

  test('keeps values that JSON lacks, and rejects circular references', () =>
    opened(async ({ of }) => {
      const store = of('ann');
      const value = {
        at: new Date(5),
        big: 2n ** 70n,
        none: undefined,
        nan: Number.NaN,
        map: new Map([['a', new Set([1])]]),
        bytes: new Uint8Array([1, 2]),
        lc: 1,
        $: 'date',
        half: '\ud83d',
      };
      await store.put(['n'], 'k', value);
      expect((await store.get(['n'], 'k'))?.value).toStrictEqual(value);
      expect(await store.search(['n'], { filter: { at: { $lt: new Date(6) } } })).toHaveLength(1);
      expect(await store.search(['n'], { filter: { constructor: Object } })).toEqual([]);
      await store.put(['odd'], 'k', { at: { valueOf: 1, toString: 2 }, tags: ['a', { b: 1 }] });
      expect(await store.search(['odd'], { filter: { at: { $gt: 0 } } })).toEqual([]);
      expect(await store.search(['odd'], { filter: { tags: ['a', { b: 1 }] } })).toHaveLength(1);
      expect(await store.search(['odd'], { filter: { tags: { $ne: ['a'] } } })).toHaveLength(1);
      for (const odd of ['text', 7, [1, 2], true]) {
        await store.put(['n'], 'odd', odd as unknown as object);
        expect((await store.get(['n'], 'odd'))?.value as unknown).toEqual(odd);
      }
      const ring: Record<string, unknown> = {};
      ring.ring = ring;
      expect(store.put(['n'], 'ring', ring)).rejects.toThrow('cannot contain circular references');
      const found = await store.get(['n'], 'k');
      if (found) found.value.at = 'changed by who read it';
      expect((await store.get(['n'], 'k'))?.value.at).toEqual(new Date(5));
    }));
}
