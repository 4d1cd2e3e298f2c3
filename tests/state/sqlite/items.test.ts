/** Items in the state file, and deleted data that must not remain in it. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { ItemStore } from '../../../state/items/store.ts';
import { openItems } from '../../contracts/open-items.ts';
import { wordIndex } from '../../contracts/word-vectors.ts';
import { filesWith } from '../../support/bytes.ts';

test('deleted and replaced values are in none of the files', async () => {
  const { items, folder, reopen, close } = openItems();
  const store = new ItemStore(items, 'ann');
  await store.put(['n'], 'k', { text: `canary-one ${'x'.repeat(20_000)}` });
  await store.put(['n'], 'l', { text: 'canary-two' });
  await store.delete(['n'], 'k');
  await store.put(['n'], 'l', { text: 'else' });
  await reopen();
  expect(filesWith(folder, 'canary')).toEqual([]);
  await close();
});

test('concurrent writes share a transaction and are in the file when they resolve', async () => {
  const { items, commits, folder, close } = openItems();
  const store = new ItemStore(items, 'ann');
  const before = await commits();
  await Promise.all(Array.from({ length: 100 }, (_, n) => store.put(['n'], `k${n}`, {})));
  expect((await commits()) - before).toBe(1);
  const file = new Database(join(folder, 'state.db'), { readonly: true });
  expect(file.query('SELECT count(*) FROM items').values()).toEqual([[100]]);
  file.close();
  await close();
});

test('deletes expired items in slices, and only those', async () => {
  const { items, removal, folder, close } = openItems();
  const store = new ItemStore(items, 'ann', { now: () => 1_000 });
  await Promise.all(
    Array.from({ length: 60 }, (_, n) => store.put(['n'], `old ${n}`, {}, undefined, { ttl: 1 })),
  );
  await store.put(['n'], 'long', {}, undefined, { ttl: 2 });
  await store.put(['n'], 'kept', {});
  let slices = 1;
  while (await removal.items(62_000)) slices++;
  expect(slices).toBe(3);
  const file = new Database(join(folder, 'state.db'), { readonly: true });
  expect(file.query('SELECT key FROM items ORDER BY seq').values()).toEqual([['long'], ['kept']]);
  file.close();
  await close();
});

test('the vectors of deleted, replaced and expired items are in none of the files', async () => {
  const { items, removal, folder, close } = openItems();
  const index = wordIndex();
  const store = new ItemStore(items, 'ann', { index, now: () => 1_000 });
  await store.put(['n'], 'deleted', { text: 'apple' });
  await store.put(['n'], 'over', { text: 'apple' });
  await store.put(['n'], 'expired', { text: 'apple' }, undefined, { ttl: 1 });
  await store.put(['n'], 'kept', { text: 'apple' });
  const file = new Database(join(folder, 'state.db'), { readonly: true });
  const vectors = () => file.query('SELECT embedder, dims, length(data) FROM item_vectors').values();
  expect(vectors()).toHaveLength(4);
  await store.delete(['n'], 'deleted');
  await store.put(['n'], 'over', { text: 'apple' }, false);
  await removal.items(62_000);
  expect(vectors()).toEqual([['words', 4, 16]]);
  file.close();
  await close();
});
