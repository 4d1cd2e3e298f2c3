import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../../state/sqlite/open.ts';

test('finding a thread commits its own queued writes but not those of others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-find-'));
  const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  const { threads } = state.archive;
  const create = (threadId: string) => threads.create('ann', { threadId, metadata: {}, createdAt: 1 });
  await create('first');
  const { commits = 0 } = await state.check();
  const created = [create('second'), create('third')];
  expect(await threads.find('ann', 'first')).toMatchObject({ threadId: 'first' });
  expect((await state.check()).commits).toBe(commits);
  expect(await threads.find('ann', 'second')).toMatchObject({ threadId: 'second' });
  expect((await state.check()).commits).toBe(commits + 1);
  expect(await Promise.all(created)).toEqual([true, true]);
  await state.close();
  rmSync(folder, { recursive: true });
});
