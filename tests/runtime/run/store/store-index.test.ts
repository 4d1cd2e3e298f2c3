/** A store ranks items with any kind of embedder. */
import { afterAll, expect, test } from 'bun:test';
import { FakeEmbeddings } from '@langchain/core/utils/testing';
import { storesOf } from '../../../../runtime/run/store/run-store.ts';
import { itemIndex } from '../../../../runtime/run/store/store-index.ts';
import type { StoreIndex } from '../../../../runtime/store-options.ts';
import { hashedEmbedder } from '../../../../tools/knowledge/embedding/hashed.ts';
import { failure } from '../../../contracts/indexed-store.ts';
import { openItems } from '../../../contracts/open-items.ts';
import { wordVectors } from '../../../contracts/word-vectors.ts';

const { items, close } = openItems();
afterAll(close);

const OPTIONS = { shared: false, ttl: { refresh_on_read: true, sweep_interval_minutes: 10 } };
const { embed, dims } = wordVectors();

class Words {
  model = 'words-1';
  uses: string[] = [];
  async embedDocuments(texts: string[]) {
    this.uses.push('documents');
    return embed(texts);
  }
  async embedQuery(text: string) {
    this.uses.push('query');
    return (await embed([text]))[0] ?? [];
  }
}

const EMBEDDERS: [kind: string, embed: StoreIndex['embed']][] = [
  ['an embedder of the service', { open: async () => hashedEmbedder() }],
  ['embeddings of LangChain', new Words()],
  ['a function', (texts) => embed(texts)],
];

test.each(EMBEDDERS)('%s embeds items and queries', async (kind, embed) => {
  const store = storesOf(items, OPTIONS, { embed })(kind);
  await store.put(['n'], 'a', { text: 'a bicycle' });
  await store.put(['n'], 'b', { text: 'an apple' });
  const [first, second] = await store.search(['n'], { query: 'apple' });
  expect(first?.key).toBe('b');
  expect(first?.score).toBeGreaterThan(second?.score ?? 1);
});

test('only the paths of the index are embedded', async () => {
  const store = storesOf(items, OPTIONS, { dims, embed, fields: ['note'] })('paths');
  await store.put(['n'], 'a', { text: 'apple', note: 'cat' });
  await store.put(['n'], 'b', { text: 'apple' });
  expect(await store.search(['n'], { query: 'cat' })).toMatchObject([{ key: 'a', score: 1 }, { key: 'b' }]);
});

test('without an index, a query does not rank', async () => {
  const store = storesOf(items, OPTIONS)('none');
  await store.put(['n'], 'a', { text: 'a bicycle' });
  await store.put(['n'], 'b', { text: 'an apple' });
  expect(await store.search(['n'], { query: 'apple' })).toMatchObject([{ key: 'a' }, { key: 'b' }]);
});

test('items and queries are embedded with their own methods', async () => {
  const embeddings = new Words();
  const { embed } = await itemIndex({ embed: embeddings }).open();
  expect(await embed(['apple', 'cat'], 'passage')).toEqual([
    [1, 0, 0, 0],
    [0, 0, 1, 0],
  ]);
  expect(await embed(['apple', 'cat'], 'query')).toHaveLength(2);
  expect(embeddings.uses).toEqual(['documents', 'query', 'query']);
});

test('an index is named by its class and model, or by its function', async () => {
  const nameOf = async (embed: StoreIndex['embed']) => (await itemIndex({ embed }).open()).name;
  expect(await nameOf(new Words())).toBe('Words:words-1');
  expect(await nameOf(new FakeEmbeddings())).toBe('FakeEmbeddings');
  expect(
    await nameOf(async function countWords(texts) {
      return embed(texts);
    }),
  ).toBe('function:countWords');
  const { name } = hashedEmbedder();
  expect(await nameOf({ open: async () => hashedEmbedder() })).toBe(name);
});

test('a call fails if the embedder cannot be opened or throws synchronously', async () => {
  const unopened = storesOf(items, OPTIONS, { embed: { open: () => Promise.reject(new Error('no model')) } });
  const throwing = storesOf(items, OPTIONS, {
    embed: () => {
      throw new Error('thrown');
    },
  });
  for (const [stores, message] of [
    [unopened, 'no model'],
    [throwing, 'thrown'],
  ] as const)
    expect(await failure(stores('fails').put(['n'], 'k', { text: 'apple' }))).toMatchObject({
      code: 'MODEL_CALL_FAILED',
      cause: { message },
    });
  expect(await throwing('fails').search([])).toEqual([]);
});
