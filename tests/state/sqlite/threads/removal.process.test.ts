/** Deletion of long threads: in slices, without remains in the file, and completed by the next process after a kill. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { storedTurn } from '../../../contracts/turn.ts';
import { filesWith } from '../../../support/bytes.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-removal-'));
afterAll(() => rmSync(root, { recursive: true }));

function opened(name: string) {
  const folder = join(root, name);
  return { folder, state: openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 }) };
}

/** Turns of `canary` alternating with others, so that they share database pages. */
async function fill(state: ReturnType<typeof openSqlite>, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    const words = (turn * 13) % 40;
    await storedTurn(state, { threadId: 'gone', prompt: `canary ${'canary '.repeat(words)}` });
    await storedTurn(state, { threadId: `other ${turn % 9}`, prompt: 'bystander '.repeat(words) });
  }
}

test('deletes a long thread without blocking the event loop', async () => {
  const { folder, state } = opened('long');
  await fill(state, 1_000);
  expect(filesWith(folder, 'canary').length).toBeGreaterThan(0);
  const thread = await state.archive.threads.find('ann', 'gone');
  const gaps: number[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
  }, 1);
  await state.archive.removal.thread(thread?.key ?? '');
  clearInterval(timer);
  // Only the number of pauses is checked, because the time of a slice depends on the disk.
  expect(gaps.length).toBeGreaterThan(3);
  await state.archive.removal.scrub();
  expect(filesWith(folder, 'canary')).toEqual([]);
  await storedTurn(state, { threadId: 'other 1', prompt: 'goes on' });
  expect((await state.archive.threads.find('ann', 'other 1'))?.messageCount).toBeGreaterThan(2);
  await state.close();
  const file = new Database(join(folder, 'state.db'), { readonly: true });
  expect(file.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(file.query('PRAGMA foreign_key_check').all()).toEqual([]);
  file.close();
}, 60_000);

test('a partially deleted thread is invisible, and the next process completes its deletion', async () => {
  const { folder, state } = opened('left');
  await storedTurn(state, { threadId: 'gone', prompt: 'canary' });
  const { head } = await storedTurn(state, { threadId: 'stays', prompt: 'bystander' });
  const stays = await state.archive.threads.find('ann', 'stays');
  const checkpoint = stays && (await state.archive.checkpoints.find(stays.key, head));
  if (!checkpoint) throw new Error('no checkpoint');
  await state.archive.forks.draft(stays, checkpoint, 0);
  await state.close();
  const file = new Database(join(folder, 'state.db'));
  file.run(`UPDATE threads SET owner = '', thread_id = key WHERE thread_id = 'gone'`);
  file.close();

  const next = opened('left').state;
  expect((await next.archive.runs({ owner: 'ann' }, { limit: 5 })).items.length).toBe(1);
  await next.archive.removal.leftovers();
  expect(filesWith(folder, 'canary')).toEqual([]);
  expect((await next.archive.size()).threads).toBe(1);
  expect((await next.archive.threads.find('ann', 'stays'))?.head).toBe(head);
  await next.close();
  const after = new Database(join(folder, 'state.db'), { readonly: true });
  expect(after.query('SELECT count(*) AS n FROM messages').get()).toEqual({ n: 2 });
  after.close();
});

test('cursors of runs stay valid after a deletion', async () => {
  const { state } = opened('pages');
  for (const threadId of ['gone', 'gone', 'a', 'b', 'c']) await storedTurn(state, { threadId });
  const first = await state.archive.runs({ owner: 'ann' }, { limit: 1 });
  const deleted = await state.archive.threads.find('ann', 'gone');
  await state.archive.removal.thread(deleted?.key ?? '');
  await state.archive.removal.scrub();
  const rest = await state.archive.runs({ owner: 'ann' }, { limit: 5, after: first.next as [string] });
  expect(rest.items.map(({ threadId }) => threadId)).toEqual(['b', 'a']);
  await state.close();
});

test('turns continue while deleted text is removed from a large file', async () => {
  const { folder, state } = opened('large');
  await fill(state, 400);
  for (let turn = 0; turn < 60; turn++) {
    await storedTurn(state, { threadId: 'stays', prompt: 'bystander '.repeat(5_000) });
  }
  expect((await state.archive.size()).stateBytes).toBeGreaterThan(8 * 1024 * 1024);
  const thread = await state.archive.threads.find('ann', 'gone');
  await state.archive.removal.thread(thread?.key ?? '');
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const scrubbed = state.archive.removal.scrub();
  for (let turn = 0; turn < 10; turn++) await storedTurn(state, { threadId: 'goes on', prompt: 'bystander' });
  await scrubbed;
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(10);
  expect(filesWith(folder, 'canary')).toEqual([]);
  expect((await state.archive.threads.find('ann', 'goes on'))?.messageCount).toBe(20);
  await state.close();
  const file = new Database(join(folder, 'state.db'), { readonly: true });
  expect(file.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  file.close();
}, 60_000);
