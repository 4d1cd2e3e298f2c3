/** The contract of `Items` for a store with an index, beyond LangGraph's store. */
import { expect, test } from 'bun:test';
import type { Operation } from '@langchain/langgraph-checkpoint';
import type { ItemEmbedder, ItemIndex } from '../../state/items/embedding.ts';
import type { Items } from '../../state/items/items.ts';
import { ItemStore } from '../../state/items/store.ts';
import { failure } from './indexed-store.ts';
import { wordIndex, wordVectors } from './word-vectors.ts';

/** `reopen` closes the state and opens another one on the same data. */
export function indexedItemsContract(
  open: () => Promise<{ items: Items; reopen: () => Promise<Items>; close: () => Promise<void> }>,
): void {
  async function opened(
    use: (given: {
      items: Items;
      reopen: () => Promise<Items>;
      of: (owner: string, changed?: Partial<ItemEmbedder & ItemIndex>) => ItemStore;
    }) => Promise<void>,
  ): Promise<void> {
    const { items, reopen, close } = await open();
    const of = (owner: string, changed = {}) => new ItemStore(items, owner, { index: wordIndex(changed) });
    try {
      await use({ items, reopen, of });
    } finally {
      await close();
    }
  }

  /** Keys with hundredths. */
  async function ranked(store: ItemStore, options: object = {}) {
    const found = await store.search(['n'], { query: 'apple', ...options });
    return found.map(({ key, score }) => (score === undefined ? key : `${key} ${Math.round(score * 100)}`));
  }

  test('a put removes the vectors of the previous value', () =>
    opened(async ({ of }) => {
      const store = of('ann');
      await store.put(['n'], 'k', { text: 'apple', note: 'apple' }, ['text', 'note']);
      await store.put(['n'], 'k', { text: 'apple cat' });
      expect(await ranked(store)).toEqual(['k 71']);
      await store.put(['n'], 'k', { text: 'apple' }, false);
      expect(await ranked(store)).toEqual(['k']);
      await store.put(['n'], 'k', { text: 'apple' });
      await store.delete(['n'], 'k');
      await store.put(['n'], 'k', { text: 'apple' }, false);
      expect(await ranked(store)).toEqual(['k']);
    }));

  test('a put by a store without an index removes the vectors', () =>
    opened(async ({ items, of }) => {
      await of('ann').put(['n'], 'k', { text: 'apple' });
      await of('ann').put(['n'], 'l', { text: 'apple' });
      await new ItemStore(items, 'ann').put(['n'], 'k', { text: 'else' });
      expect(await ranked(of('ann'))).toEqual(['l 100', 'k']);
    }));

  test('pages list items without vectors after the others, each item once', () =>
    opened(async ({ of }) => {
      const store = of('ann');
      for (const key of ['x', 'y', 'z']) await store.put(['n'], key, { text: 'apple' }, false);
      for (const key of ['a', 'b']) await store.put(['n'], key, { text: 'apple' });
      const pages = [0, 2, 4, 6].map((offset) => ranked(store, { offset, limit: 2 }));
      expect(await Promise.all(pages)).toEqual([['a 100', 'b 100'], ['x', 'y'], ['z'], []]);
    }));

  test('a query only finds items of its owner', () =>
    opened(async ({ of }) => {
      await of('ann').put(['n'], 'ann', { text: 'apple' });
      await of('bob').put(['n'], 'bob', { text: 'cat' });
      expect(await ranked(of('bob'))).toEqual(['bob 0']);
    }));

  test('vectors survive a restart', () =>
    opened(async ({ of, reopen }) => {
      await of('ann').put(['n'], 'k', { text: 'cat' });
      await of('ann').put(['n'], 'l', { text: 'apple cat' });
      const again = new ItemStore(await reopen(), 'ann', { index: wordIndex() });
      expect(await ranked(again)).toEqual(['l 71', 'k 0']);
    }));

  test('vectors of another embedder, or of another length, are not compared until the item is put again', () =>
    opened(async ({ of }) => {
      await of('ann').put(['n'], 'k', { text: 'apple' });
      const other = of('ann', { name: 'other' });
      await other.put(['n'], 'l', { text: 'apple cat' });
      expect(await ranked(other)).toEqual(['l 71', 'k']);
      const embed = async (texts: readonly string[]) => texts.map(() => [1, 1]);
      expect(await ranked(of('ann', { embed, dims: 2 }))).toEqual(['k', 'l']);
      await other.put(['n'], 'k', { text: 'apple' });
      expect(await ranked(other)).toEqual(['k 100', 'l 71']);
    }));

  test('writes keep the order of the calls, and later reads see them, however long embedding takes', () =>
    opened(async ({ of }) => {
      const slow = Promise.withResolvers<void>();
      const store = of('ann', {
        embed: async (texts: readonly string[]) => {
          if (texts.includes('slow apple')) await slow.promise;
          return wordVectors().embed(texts);
        },
      });
      const writes = [
        store.put(['n'], 'k', { text: 'slow apple' }),
        failure(store.put(['n'], 'k', { text: 'broken' })),
        store.put(['n'], 'k', { text: 'cat' }, false),
        store.put(['n'], 'l', { text: 'apple' }),
      ];
      const early = store.get(['n'], 'l');
      slow.resolve();
      expect((await early)?.value).toEqual({ text: 'apple' });
      await Promise.all(writes);
      expect((await store.get(['n'], 'k'))?.value).toEqual({ text: 'cat' });
      expect(await ranked(store)).toEqual(['l 100', 'k']);
    }));

  test('rejects results of the embedder that are not vectors of the same length', () =>
    opened(async ({ of }) => {
      const results: [unknown, object][] = [
        [[[1, 2, 3]], { code: 'CONFIGURATION_ERROR', field: 'store.index.dims' }],
        [[], { code: 'MODEL_CALL_FAILED', detail: 'expected 1 vectors' }],
        ['text', { code: 'MODEL_CALL_FAILED', detail: 'expected 1 vectors' }],
        [undefined, { code: 'MODEL_CALL_FAILED' }],
        [[[1, 2, Number.NaN, 3]], { code: 'MODEL_CALL_FAILED', detail: expect.stringContaining('finite') }],
        [[[]], { code: 'MODEL_CALL_FAILED' }],
        [[7], { code: 'MODEL_CALL_FAILED' }],
      ];
      for (const [vectors, error] of results) {
        const store = of('ann', { embed: async () => vectors as number[][] });
        expect(await failure(store.put(['n'], 'k', { text: 'apple' }))).toMatchObject(error);
        expect(await failure(store.search(['n'], { query: 'apple' }))).toMatchObject(error);
      }
      const mixed = of('ann', { dims: undefined, embed: async () => [[1], [1, 2]] });
      expect(await failure(mixed.put(['n'], 'k', { text: 'a', b: 'b' }, ['text', 'b']))).toMatchObject({
        code: 'CONFIGURATION_ERROR',
      });
      expect(await of('ann').search([])).toEqual([]);
    }));

  test('errors of the embedder keep their cause', () =>
    opened(async ({ of }) => {
      expect(await failure(of('ann').put(['n'], 'k', { text: 'broken' }))).toMatchObject({
        code: 'MODEL_CALL_FAILED',
        message: 'The embedding model of the store failed; the operation had no effect',
        cause: { message: 'the embedder is broken' },
      });
    }));

  test('validates the number and the paths of texts to embed', () =>
    opened(async ({ of }) => {
      const store = of('ann');
      const list = Array.from({ length: 1_001 }, (_, n) => `t${n}`);
      const many = store.put(['n'], 'k', { list }, ['list[*]']);
      expect(many).rejects.toThrow('at most 1000 texts to embed, not 1001');
      const odd = store.put(['n'], 'k', {}, 'text' as unknown as string[]);
      expect(odd).rejects.toThrow('false or a list of paths');
      expect(store.put(['n'], 'k', {}, [7] as unknown as string[])).rejects.toThrow('list of paths');
      await store.put(['n'], 'big', { text: 2n ** 70n, map: new Map(), at: new Date(0) }, ['text', '$']);
      const hidden = await failure(store.put(['n'], 'own', { text: 'apple' }, ['constructor', '__proto__']));
      expect(hidden).toBeUndefined();
      expect(await ranked(store)).toEqual(['big 0', 'own']);
    }));

  test('an empty batch and a batch of deletions need no embedder', () =>
    opened(async ({ of }) => {
      const never = of('ann', { embed: () => Promise.reject(new Error('not asked')) });
      expect(await never.batch([])).toEqual([]);
      const deletion: Operation[] = [{ namespace: ['n'], key: 'k', value: null }];
      expect(await never.batch(deletion)).toEqual([undefined] as never);
    }));
}
