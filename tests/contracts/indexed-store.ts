/** The contract of stores with an index, including LangGraph's in-memory store. */
import { expect, test } from 'bun:test';
import type { BaseStore, Operation, SearchItem } from '@langchain/langgraph-checkpoint';
import { type WordVectors, wordVectors } from './word-vectors.ts';

export interface IndexedStoreParts {
  vectors: WordVectors;
  /** Undefined: the default. */
  fields: string[] | undefined;
}

/** `open` returns an empty store. */
export function indexedStoreContract(
  name: string,
  open: (parts: IndexedStoreParts) => Promise<{ store: BaseStore; close: () => Promise<void> }>,
): void {
  async function opened(
    use: (store: BaseStore, vectors: WordVectors) => Promise<void>,
    fields?: string[],
  ): Promise<void> {
    const vectors = wordVectors();
    const { store, close } = await open({ vectors, fields });
    try {
      await use(store, vectors);
    } finally {
      await close();
    }
  }

  /** In hundredths. */
  const scores = (items: SearchItem[]) =>
    items.map(({ key, score }) => [key, score === undefined ? null : Math.round(score * 100)]);

  test(`${name}: a query ranks by cosine similarity, the score; without a query there are no scores`, () =>
    opened(async (store) => {
      await store.put(['n'], 'one', { text: 'music' });
      await store.put(['n'], 'two', { text: 'apple cat' });
      await store.put(['n'], 'three', { text: 'apple' });
      const found = await store.search(['n'], { query: 'apple' });
      expect(scores(found)).toEqual([
        ['three', 100],
        ['two', 71],
        ['one', 0],
      ]);
      expect(found[0]).toMatchObject({ namespace: ['n'], value: { text: 'apple' } });
      expect(found[0]?.createdAt).toBeInstanceOf(Date);
      for (const query of [undefined, ''])
        expect(scores(await store.search(['n'], query === undefined ? {} : { query }))).toEqual([
          ['one', null],
          ['two', null],
          ['three', null],
        ]);
    }));

  test(`${name}: items with equal scores, including zero, keep the order of creation`, () =>
    opened(async (store) => {
      for (const key of ['c', 'a', 'b']) await store.put(['n'], key, { text: 'cat' });
      await store.put(['n'], 'none', { text: '' });
      expect(scores(await store.search(['n'], { query: 'cat cat' }))).toEqual([
        ['c', 100],
        ['a', 100],
        ['b', 100],
        ['none', 0],
      ]);
      expect(scores(await store.search(['n'], { query: 'unknown' }))).toEqual([
        ['c', 0],
        ['a', 0],
        ['b', 0],
        ['none', 0],
      ]);
    }));

  test(`${name}: without fields, the whole value is embedded as indented JSON`, () =>
    opened(async (store, vectors) => {
      await store.put(['n'], 'k', { a: { b: 'cat' } });
      await store.put(['n'], 'l', { c: 1 }, ['$']);
      expect(vectors.batches).toEqual([['{\n  "a": {\n    "b": "cat"\n  }\n}'], ['{\n  "c": 1\n}']]);
    }));

  const VALUE = {
    title: 'T',
    a: { b: 1, yes: true },
    list: [{ b: 'x' }, { b: 'y', c: 'z' }],
    tags: ['p', 'q', 'r'],
    nothing: null,
  };
  const PATHS: [path: string, texts: string[]][] = [
    ['title', ['T']],
    ['a.b', ['1']],
    ['a', ['{\n  "b": 1,\n  "yes": true\n}']],
    ['a.yes', ['true']],
    ['list[*].b', ['x', 'y']],
    ['list[0].b', ['x']],
    ['list[-1].b', ['y']],
    ['list[2].b', []],
    ['list[one].b', []],
    ['list.b', []],
    ['tags[*]', ['p', 'q', 'r']],
    ['a.*', ['1', 'true']],
    ['tags.*', ['p', 'q', 'r']],
    ['{title,a.b}', ['T', '1']],
    ['list[*].{b,c}', ['x', 'y', 'z']],
    ['nothing', []],
    ['missing.deep', []],
    ['title.deep', []],
    ['', [JSON.stringify(VALUE, null, 2)]],
  ];
  test.each(PATHS)(`${name}: the path '%s' selects its texts`, (path, texts) =>
    opened(async (store, vectors) => {
      await store.put(['n'], 'k', VALUE, [path]);
      // LangGraph's store requests texts that look like numbers first.
      expect(vectors.batches.map((batch) => batch.sort())).toEqual(texts.length === 0 ? [] : [texts.sort()]);
    }),
  );

  test(`${name}: an item with several vectors is ranked by the nearest one and found once`, () =>
    opened(
      async (store) => {
        await store.put(['n'], 'both', { title: 'music', parts: [{ text: 'apple cat' }, { text: 'cat' }] });
        await store.put(['n'], 'one', { title: 'bicycle', parts: [{ text: 'cat apple apple' }] });
        expect(scores(await store.search(['n'], { query: 'cat' }))).toEqual([
          ['both', 100],
          ['one', 45],
        ]);
        expect(scores(await store.search(['n'], { query: 'music', limit: 1 }))).toEqual([['both', 100]]);
      },
      ['title', 'parts[*].text'],
    ));

  test(`${name}: a put can override the paths; items without vectors come last without a score`, () =>
    opened(
      async (store, vectors) => {
        await store.put(['n'], 'never', { text: 'apple' }, false);
        await store.put(['n'], 'other', { text: 'cat', note: 'apple' }, ['note']);
        await store.put(['n'], 'empty', { note: 'apple' });
        await store.put(['n'], 'plain', { text: 'cat apple' });
        expect(vectors.batches).toEqual([['apple'], ['cat apple']]);
        const found = await store.search(['n'], { query: 'apple' });
        expect(scores(found)).toEqual([
          ['other', 100],
          ['plain', 71],
          ['never', null],
          ['empty', null],
        ]);
        expect(scores(await store.search(['n'], { query: 'apple', offset: 1, limit: 2 }))).toEqual([
          ['plain', 71],
          ['never', null],
        ]);
      },
      ['text'],
    ));

  test(`${name}: applies prefix and filter before ranking, and pages are consecutive`, () =>
    opened(async (store) => {
      for (let n = 1; n <= 6; n++)
        await store.put(['n', n % 2 ? 'odd' : 'even'], `k${n}`, { text: `apple ${'cat '.repeat(n)}`, n });
      await store.put(['no'], 'other', { text: 'apple' });
      const found = async (prefix: string[], options: object) =>
        (await store.search(prefix, { query: 'apple', ...options })).map(({ key }) => key);
      expect(await found(['n'], {})).toEqual(['k1', 'k2', 'k3', 'k4', 'k5', 'k6']);
      expect(await found(['n', 'even'], {})).toEqual(['k2', 'k4', 'k6']);
      expect(await found(['n'], { filter: { n: { $gte: 4 } } })).toEqual(['k4', 'k5', 'k6']);
      expect(await found(['n'], { filter: { n: { $gte: 3 } }, offset: 1, limit: 2 })).toEqual(['k4', 'k5']);
      expect(await found(['n'], { offset: 4, limit: 5 })).toEqual(['k5', 'k6']);
      expect(await found(['n'], { limit: 0 })).toEqual([]);
      expect((await found([], {}))[0]).toBe('other');
    }));

  test(`${name}: ranks changed items by their new value and does not find deleted ones`, () =>
    opened(async (store) => {
      await store.put(['n'], 'k', { text: 'apple' });
      await store.put(['n'], 'l', { text: 'apple cat' });
      await store.put(['n'], 'k', { text: 'cat' });
      expect(scores(await store.search(['n'], { query: 'apple' }))).toEqual([
        ['l', 71],
        ['k', 0],
      ]);
      await store.delete(['n'], 'l');
      expect(scores(await store.search(['n'], { query: 'apple' }))).toEqual([['k', 0]]);
    }));

  test(`${name}: a batch embeds equal texts once, and its searches do not see its puts`, () =>
    opened(
      async (store, vectors) => {
        await store.put(['n'], 'old', { text: 'apple' });
        vectors.batches.length = 0;
        const operations: Operation[] = [
          { namespace: ['n'], key: 'new', value: { text: 'apple' } },
          { namespace: ['n'], key: 'newer', value: { text: 'apple' } },
          { namespacePrefix: ['n'], query: 'apple', limit: 10, offset: 0 },
          { namespacePrefix: ['n'], query: 'cat', limit: 10, offset: 0 },
          { namespace: ['n'], key: 'gone', value: null },
        ];
        const results = await store.batch(operations);
        expect(results[2]).toMatchObject([{ key: 'old', score: expect.closeTo(1) }]);
        expect(results[3]).toMatchObject([{ key: 'old', score: expect.closeTo(0) }]);
        expect(vectors.batches.flat().sort()).toEqual(['apple', 'apple', 'cat']);
        expect(await store.search(['n'])).toHaveLength(3);
      },
      ['text'],
    ));

  test(`${name}: a failing embedder fails the call, and nothing is stored`, () =>
    opened(
      async (store) => {
        await store.put(['n'], 'k', { text: 'cat' });
        const batch: Operation[] = [
          { namespace: ['n'], key: 'good', value: { text: 'apple' } },
          { namespace: ['n'], key: 'k', value: null },
          { namespace: ['n'], key: 'bad', value: { text: 'broken' } },
        ];
        expect(await failure(store.batch(batch))).toBeInstanceOf(Error);
        expect(await failure(store.put(['n'], 'k', { text: 'broken' }))).toBeInstanceOf(Error);
        expect(await failure(store.search(['n'], { query: 'broken' }))).toBeInstanceOf(Error);
        expect(scores(await store.search(['n'], { query: 'cat' }))).toEqual([['k', 100]]);
        // Items without an index don't need the embedder.
        await store.put(['n'], 'k', { text: 'broken' }, false);
        expect((await store.get(['n'], 'k'))?.value).toEqual({ text: 'broken' });
      },
      ['text'],
    ));
}

export function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}
