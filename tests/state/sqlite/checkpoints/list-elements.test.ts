/** Lists in checkpoints on SQLite. */
import { afterEach, expect, test } from 'bun:test';
import {
  get,
  listElementsContract,
  long,
  longList,
  put,
} from '../../../contracts/checkpoints/list-elements.ts';
import { rowsOf } from '../../../contracts/checkpoints/opened-savers.ts';
import { filesWith } from '../../../support/bytes.ts';
import { openSaver, type SqliteSavers } from './open-saver.ts';

listElementsContract(openSaver);

const THREAD = '000000000001';
let store: SqliteSavers | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

test('a write that was rolled back with others is repeated completely', async () => {
  store = await openSaver();
  const { saver, commit } = store;
  const list = longList(20);
  const first = await put(saver, list);
  commit.flush();
  const second = put(saver, [...list, long('second')], first);
  const other = commit.write('other', () => {
    throw new Error('fails');
  });
  await expect(other).rejects.toThrow('fails');
  const third = await put(saver, [...list, long('second'), long('third')], await second);
  expect(await get(saver, await second)).toEqual([...list, long('second')]);
  expect(await get(saver, third)).toEqual([...list, long('second'), long('third')]);
  expect(await rowsOf(store, 'checkpoint_elements')).toBe(22);
});

test('lists of an earlier version are kept, and new elements are stored once', async () => {
  store = await openSaver();
  const { saver, commit, db } = store;
  const list = longList(20);
  const first = await put(saver, list);
  commit.flush();
  db.run('DELETE FROM checkpoint_elements');
  db.query('UPDATE checkpoint_values SET elements = NULL, value = ?').run(JSON.stringify(list));
  expect(await get(saver, first)).toEqual(list);
  const second = await put(saver, [...list, long('more')], first);
  const third = await put(saver, [...list, long('more'), long('and more')], second);
  expect(await get(saver, third)).toEqual([...list, long('more'), long('and more')]);
  expect(await rowsOf(store, 'checkpoint_elements')).toBe(22);
});

test('deletes elements that no kept version has', async () => {
  store = await openSaver();
  const { saver, db, folder } = store;
  const list = longList(20);
  const first = await put(saver, [...list.slice(0, 10), long('canary'), ...list.slice(10)]);
  const second = await put(saver, list, first);
  await store.written();
  expect(filesWith(folder, 'canary').length).toBeGreaterThan(0);
  await store.prune(THREAD, [first]);
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(filesWith(folder, 'canary')).toEqual([]);
  expect(await get(saver, second)).toEqual(list);
});
