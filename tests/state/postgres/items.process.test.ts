/** Items on PostgreSQL: several servers, transactions and maximum lengths. */
import { describe, expect, test } from 'bun:test';
import type { ItemChange } from '../../../state/items/items.ts';
import { ItemStore } from '../../../state/items/store.ts';
import { items } from '../../../state/postgres/items/items.ts';
import { wordIndex } from '../../contracts/word-vectors.ts';
import { postgresServers } from '../../support/open-drivers.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

const change = (key: string, n: number | null): ItemChange => ({
  ...{ namespace: ['n'], key, text: n === null ? null : JSON.stringify({ n }), ttl: null, vectors: null },
});

const letters = (length: number) =>
  Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join('');

describe.skipIf(POSTGRES === undefined)('items on PostgreSQL', () => {
  test('distinguishes namespaces and keys of maximum length, and finds them by the longest prefix', async () => {
    const { open, drop } = await postgresServers();
    const store = new ItemStore(items(open()), 'ann');
    // More bytes than an index entry can hold, and not compressible.
    const [label, key] = [letters(1_990), letters(1_999)];
    for (const end of ['a', 'b']) {
      await store.put([label, end], key, { end });
      await store.put([label], `${key}${end}`, { end });
    }
    await store.put([`${label}x`], key, {});
    for (const end of ['a', 'b']) {
      expect((await store.get([label, end], key))?.value).toEqual({ end });
      expect(await store.search([label, end])).toHaveLength(1);
    }
    expect(await store.search([label])).toHaveLength(4);
    expect(await store.search([`${label}x`])).toHaveLength(1);
    await store.delete([label, 'a'], key);
    expect(await store.listNamespaces()).toEqual([[label], [label, 'b'], [`${label}x`]].toSorted());
    await drop();
  });

  test('a filter finds the matching items among thousands, in order of creation', async () => {
    const { open, drop } = await postgresServers();
    const store = items(open());
    const all = Array.from({ length: 12_000 }, (_, n) => change(`k${n}`, n % 3));
    await store.change('ann', all, 1);
    await store.change('bob', [change('other', 1)], 1);
    const expected = all.flatMap(({ key }, n) => (n % 3 === 1 ? [key] : []));
    const page = async (offset: number, limit: number) => {
      const query = { prefix: ['n'], filter: { n: 1 }, offset, limit };
      const found = await store.search('ann', query, { now: 10, refresh: false });
      return found.map(({ key }) => key);
    };
    for (const [offset, limit] of [
      ...[
        [0, 10],
        [330, 10],
        [333, 3_000],
      ],
      ...[
        [3_990, 20],
        [4_000, 1],
        [0, 10_000],
      ],
    ] as [number, number][])
      expect(await page(offset, limit)).toEqual(expected.slice(offset, offset + limit));
    await drop();
  });

  test('concurrent calls are applied in order: an item that is deleted and put again is new', async () => {
    const { open, drop } = await postgresServers();
    const store = items(open());
    const reading = { now: 10, refresh: false };
    await store.change('ann', [change('a', 1), change('b', 1)], 1);
    await Promise.all([
      store.change('ann', [change('a', null), change('c', 1)], 2),
      store.change('ann', [change('a', 2), change('b', 2)], 3),
      store.change('ann', [change('c', null), change('d', 1)], 4),
      store.change('ann', [change('d', 2), change('d', null)], 5),
    ]);
    const found = await store.search('ann', { prefix: [], offset: 0, limit: 10 }, reading);
    expect(
      found.map(({ key, value, createdAt, updatedAt }) => [key, value.n, +createdAt, +updatedAt]),
    ).toEqual([
      ['b', 2, 1, 3],
      ['a', 2, 3, 3],
    ]);
    await drop();
  });

  test('servers that put the same items in different orders all succeed', async () => {
    const { open, drop } = await postgresServers();
    const servers = [open(), open(), open()].map(items);
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    for (let round = 0; round < 10; round++)
      await Promise.all(
        servers.map((one, index) => {
          const ordered = index === 1 ? keys.toReversed() : keys;
          return one.change(
            'ann',
            ordered.map((key) => change(key, index)),
            round,
          );
        }),
      );
    const [one] = servers;
    const query = { prefix: ['n'], offset: 0, limit: 100 };
    const found = (await one?.search('ann', query, { now: 100, refresh: true })) ?? [];
    expect(found.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    expect(new Set(found.map(({ value }) => value.n)).size).toBe(1);
    await drop();
  });

  test('a failed write does not affect later writes', async () => {
    const { open, drop } = await postgresServers();
    const database = open();
    const store = items(database);
    await database.run(`ALTER TABLE skein.items ADD CONSTRAINT broken CHECK (key <> 'broken')`);
    const failing = store.change('ann', [change('a', 1), change('broken', 1)], 1);
    expect(failing).rejects.toThrow('broken');
    await failing.catch(() => {});
    await store.change('ann', [change('b', 1)], 2);
    const found = await store.search('ann', { prefix: [], offset: 0, limit: 9 }, { now: 9, refresh: false });
    expect(found.map(({ key }) => key)).toEqual(['b']);
    await drop();
  });

  test('reads long values in small parts without skipping any', async () => {
    const { open, drop } = await postgresServers();
    const store = new ItemStore(items(open()), 'ann', { index: wordIndex() });
    for (let n = 0; n < 12; n++)
      await store.put(['n'], `k${n}`, { n, text: 'apple', more: 'x'.repeat(300_000) });
    const numbers = async (options: object) =>
      (await store.search(['n'], { limit: 20, ...options })).map(({ value }) => value.n);
    const all = Array.from({ length: 12 }, (_, n) => n);
    expect(await numbers({})).toEqual(all);
    expect(await numbers({ query: 'apple' })).toEqual(all);
    expect(await numbers({ filter: { n: { $gte: 3 } }, offset: 2, limit: 5 })).toEqual([5, 6, 7, 8, 9]);
    expect(await numbers({ query: 'apple', filter: { n: { $lt: 9 } }, offset: 7 })).toEqual([7, 8]);
    await drop();
  });
});
