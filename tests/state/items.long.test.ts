/** Items and the store on each driver, tested with the same cases as LangGraph's store. */
import { describe, expect, test } from 'bun:test';
import type { Embeddings } from '@langchain/core/embeddings';
import { InMemoryStore } from '@langchain/langgraph-checkpoint';
import type { Items } from '../../state/items/items.ts';
import { scratchItems } from '../../state/items/scratch.ts';
import { ItemStore } from '../../state/items/store.ts';
import { items as postgresItems } from '../../state/postgres/items/items.ts';
import { indexedItemsContract } from '../contracts/indexed-items.ts';
import { indexedStoreContract } from '../contracts/indexed-store.ts';
import { itemsContract, storeContract } from '../contracts/store.ts';
import { wordIndex } from '../contracts/word-vectors.ts';
import { drivers } from '../support/open-drivers.ts';

const DRIVERS = drivers<Items>({ sqlite: (state) => state.items, postgres: postgresItems });

storeContract("LangGraph's store in memory", async () => ({
  store: new InMemoryStore(),
  close: async () => {},
}));
indexedStoreContract("LangGraph's store in memory", async ({ vectors: { dims, embed }, fields }) => {
  const embeddings = {
    embedDocuments: embed,
    embedQuery: async (text: string) => (await embed([text]))[0] ?? [],
  } as unknown as Embeddings;
  return {
    store: new InMemoryStore({ index: { dims, embeddings, ...(fields ? { fields } : {}) } }),
    close: async () => {},
  };
});

const ENTRIES = [
  ['half', 'apple cat'],
  ['near', 'apple'],
] as const;

for (const { name, skip, open } of DRIVERS)
  describe.skipIf(skip)(name, () => {
    for (const [kind, over] of [
      ['a store', (items: Items) => items],
      ['a scratch store', scratchItems],
    ] as const) {
      storeContract(kind, async () => {
        const { stores, close } = await open();
        return { store: new ItemStore(over(stores), 'ann'), close };
      });
      indexedStoreContract(kind, async ({ vectors: { dims, embed }, fields = ['$'] }) => {
        const { stores, close } = await open();
        const index = wordIndex({ dims, fields, embed });
        return { store: new ItemStore(over(stores), 'ann', { index }), close };
      });
    }
    const opened = async () => {
      const { stores, reopen, close } = await open();
      return { items: stores, reopen, close };
    };
    itemsContract(opened);
    indexedItemsContract(opened);

    test('a scratch store reads stored items and keeps its changes in memory', async () => {
      const { stores: items, close } = await open();
      const stored = new ItemStore(items, 'ann');
      await new ItemStore(items, 'bob').put(['n'], 'foreign', {});
      for (const key of ['a', 'b', 'c']) await stored.put(['n'], key, { key, n: 1 });
      const scratch = new ItemStore(scratchItems(items), 'ann');
      await scratch.put(['n'], 'b', { n: 2 });
      await scratch.delete(['n'], 'a');
      await scratch.put(['n', 'new'], 'd', { n: 1 });
      const keys = async (filter?: object) =>
        (await scratch.search(['n'], { filter: { ...filter } })).map(({ key }) => key);
      expect(await keys()).toEqual(['c', 'b', 'd']);
      expect(await keys({ n: 1 })).toEqual(['c', 'd']);
      expect(await scratch.search(['n'], { limit: 1, offset: 1 })).toMatchObject([
        { key: 'b', value: { n: 2 } },
      ]);
      expect(await scratch.get(['n'], 'a')).toBeNull();
      expect((await scratch.get(['n'], 'b'))?.createdAt).toEqual(
        (await stored.get(['n'], 'b'))?.createdAt as Date,
      );
      expect(await scratch.listNamespaces()).toEqual([['n'], ['n', 'new']]);
      expect((await stored.search([])).map(({ key, value }) => [key, value.n])).toEqual([
        ['a', 1],
        ['b', 1],
        ['c', 1],
      ]);
      await close();
    });

    test('a scratch store does not refresh the time to live', async () => {
      const { stores: items, close } = await open();
      const clock = { now: 1_000 };
      const now = () => clock.now;
      await new ItemStore(items, 'ann', { now }).put(['n'], 'k', {}, undefined, { ttl: 1 });
      const scratch = new ItemStore(scratchItems(items), 'ann', { now });
      clock.now += 50_000;
      expect(await scratch.get(['n'], 'k')).not.toBeNull();
      expect(await scratch.search(['n'])).toHaveLength(1);
      clock.now += 20_000;
      expect(await scratch.get(['n'], 'k')).toBeNull();
      await close();
    });

    test('a scratch store ranks stored items together with its own', async () => {
      const { stores: items, close } = await open();
      const index = wordIndex();
      const stored = new ItemStore(items, 'ann', { index });
      for (const [key, text] of ENTRIES) await stored.put(['n'], key, { text });
      const scratch = new ItemStore(scratchItems(items), 'ann', { index });
      await scratch.put(['n'], 'near', { text: 'cat' });
      await scratch.put(['n'], 'new', { text: 'apple apple cat' });
      const keys = async (store: ItemStore, options = {}) =>
        (await store.search(['n'], { query: 'apple', ...options })).map(({ key }) => key);
      expect(await keys(scratch)).toEqual(['new', 'half', 'near']);
      expect(await keys(scratch, { offset: 1, limit: 1 })).toEqual(['half']);
      expect(await keys(stored)).toEqual(['near', 'half']);
      await close();
    });

    test('long queries do not block other work and share time slices', async () => {
      const { stores: items, close } = await open();
      const embed = async (texts: readonly string[]) =>
        texts.map((text) => Float32Array.from({ length: 1_024 }, (_, at) => Math.sin(Number(text) * at)));
      const store = new ItemStore(items, 'ann', {
        index: wordIndex({ dims: undefined, fields: ['n'], embed }),
      });
      const put = (n: number) => ({ namespace: ['n'], key: `k${n}`, value: { n } });
      for (let from = 0; from < 6_000; from += 500)
        await store.batch(Array.from({ length: 500 }, (_, n) => put(from + n)));
      let turns = 0;
      let going = true;
      const others = (async () => {
        while (going) {
          turns++;
          await Bun.sleep(0);
        }
      })();
      const queries = ['17', '4000', '5999'];
      const found = await Promise.all(queries.map((query) => store.search(['n'], { query, limit: 1 })));
      expect(found.map(([first]) => first?.value.n)).toEqual([17, 4_000, 5_999]);
      going = false;
      await others;
      expect(turns).toBeGreaterThan(3);
      await close();
    }, 60_000);

    test('a long search does not block other work and leaves out items deleted during it', async () => {
      const { stores: items, close } = await open();
      const store = new ItemStore(items, 'ann');
      const put = (n: number) => ({ namespace: ['n'], key: `k${n}`, value: { n, text: 'x'.repeat(2_000) } });
      await store.batch(Array.from({ length: 8_000 }, (_, n) => put(n)));
      let turns = 0;
      let going = true;
      const others = (async () => {
        while (going) {
          turns++;
          await Bun.sleep(0);
        }
      })();
      const search = store.search(['n'], { filter: { n: { $gte: 7_998 } } });
      await Bun.sleep(0);
      await store.delete(['n'], 'k7998');
      expect((await search).map(({ key }) => key)).toEqual(['k7999']);
      going = false;
      await others;
      expect(turns).toBeGreaterThan(1);
      await close();
    }, 60_000);
  });
