/** Results of datasets in their folder: damaged files, and results of a stopped server. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileLocks } from '../../../runtime/datasets/file-lock.ts';
import { type Result, type Results, resultsIn } from '../../../runtime/datasets/results.ts';

let folder: string;
let results: Results;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-results-'));
  results = resultsIn(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

function resultOf(changes: Partial<Result> = {}): Result {
  const now = new Date().toISOString();
  return {
    ...{ result_id: Bun.randomUUIDv7(), dataset: 'shop', workflow: 'w', author: 'ann' },
    ...{ status: 'finished', error: null, created_at: now, updated_at: now, total: 1, done: 1, right: 1 },
    ...{ unanswered: 0, tokens: 1, models: ['m'], prompts: [], cases: [] },
    ...changes,
  };
}

test('without a folder, there are no results to list or to remove', async () => {
  expect(await results.list('shop')).toEqual([]);
  expect(await results.newest('shop')).toBeUndefined();
  expect(await results.find('shop', '../../../etc/passwd')).toBeUndefined();
  expect(await results.remove('shop', Bun.randomUUIDv7())).toBe(false);
  await expect(results.list('../shop')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
});

test('files that are not results are skipped', async () => {
  const [older, newer] = [resultOf(), resultOf()];
  for (const one of [older, newer]) await results.save(one);
  const resultFolder = join(folder, '.results', 'shop');
  const invalid = { text: '{', list: '[]', other: '{"result_id":"x"}' };
  for (const text of Object.values(invalid))
    writeFileSync(join(resultFolder, `${Bun.randomUUIDv7()}.json`), text);
  writeFileSync(join(resultFolder, 'notes.json'), '{}');
  writeFileSync(join(resultFolder, 'README.md'), 'mine');
  mkdirSync(join(resultFolder, `${Bun.randomUUIDv7()}.json`));
  expect((await results.list('shop')).map(({ result_id }) => result_id)).toEqual([
    newer.result_id,
    older.result_id,
  ]);
  expect((await results.newest('shop'))?.result_id).toBe(newer.result_id);
});

test('a running result that is no longer updated is reported as stopped', async () => {
  const minuteAgo = new Date(Date.now() - 61_000).toISOString();
  const [active, abandoned] = [
    resultOf({ status: 'running' }),
    resultOf({ status: 'running', updated_at: minuteAgo }),
  ];
  const finished = resultOf({ updated_at: minuteAgo });
  for (const one of [active, abandoned, finished]) await results.save(one);
  const statuses = [active, abandoned, finished].map(
    async (one) => (await results.find('shop', one.result_id))?.status,
  );
  expect(await Promise.all(statuses)).toEqual(['running', 'stopped', 'finished']);
});

test('the newest twenty results are kept, and a removed result is no longer listed', async () => {
  const all = Array.from({ length: 23 }, () => resultOf());
  for (const one of all) await results.save(one);
  expect(readdirSync(join(folder, '.results', 'shop'))).toHaveLength(20);
  const [first] = await results.list('shop');
  expect(first?.result_id).toBe(all.at(-1)?.result_id ?? '');
  expect(await results.remove('shop', first?.result_id ?? '')).toBe(true);
  expect(await results.list('shop')).toHaveLength(19);
});

test('a lock in a folder that does not exist is an error', async () => {
  const withLock = fileLocks();
  const work = async () => 'done';
  await expect(withLock(join(folder, 'missing', '.lock'), work)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await withLock(join(folder, '.lock'), work)).toBe('done');
});
