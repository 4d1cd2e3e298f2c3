/** A vocabulary follows the documents of the index. */
import { expect, test } from 'bun:test';
import { openCatalog } from '../../../../../tools/knowledge/local/index/catalog.ts';
import { knownPassages } from '../../../../../tools/knowledge/local/index/known-passages.ts';

function library() {
  const catalog = openCatalog(':memory:', { readonly: false });
  const bodies = new Map<number, string>();
  const reads: (readonly number[] | undefined)[] = [];
  const known = knownPassages(catalog, {
    async *bodies(revisions) {
      reads.push(revisions);
      yield Array.from(bodies, ([revision, body]) => ({ revision, body }));
    },
  });
  async function put(name: string, body: string): Promise<void> {
    const revision = catalog.nextRevision();
    bodies.set(revision, body);
    const entry = {
      name,
      revision,
      stamp: '',
      hash: '',
      bytes: 1,
      modified: new Date(0),
      chunks: 1,
      error: null,
      retryAt: null,
      tries: 0,
    };
    await catalog.commit([entry], []);
  }
  return { catalog, known, reads, put };
}

test('it learns new passages once, and concurrent searches wait for the same update', async () => {
  const { known, reads, put } = library();
  await put('a.md', 'A chain.');
  await put('b.md', 'A brake.');
  const [one, other] = await Promise.all([known.vocabulary(), known.vocabulary()]);
  expect(other).toBe(one);
  expect([one.count('chain'), one.count('brak'), one.passages()]).toEqual([1, 1, 2]);
  await put('c.md', 'Another chain.');
  expect((await known.vocabulary()).count('chain')).toBe(2);
  expect(reads).toEqual([[1, 2], [3]]);
});

test('removed documents count until a quarter of all documents is removed', async () => {
  const { catalog, known, put } = library();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await put(name, `The ${name}${name} chain.`);
  await known.vocabulary();
  await catalog.commit([], ['a']);
  expect((await known.vocabulary()).count('aa')).toBe(1);
  await catalog.commit([], ['b', 'c']);
  const vocabulary = await known.vocabulary();
  expect([vocabulary.count('aa'), vocabulary.count('dd'), vocabulary.passages()]).toEqual([0, 1, 5]);
});
