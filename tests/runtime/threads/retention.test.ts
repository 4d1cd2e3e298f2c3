/** Retention deletes only data that is older than the settings allow. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { recordedCalls } from '../../../runtime/journal/recorded-calls.ts';
import { threadDeletion } from '../../../runtime/threads/deletion.ts';
import { retention } from '../../../runtime/threads/retention.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { failedEnd, storedTurn } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';
import { filesWith } from '../../support/bytes.ts';
import { testService } from '../../support/service.ts';
import { askState } from '../../support/stored-state.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-retention-'));
afterAll(() => rmSync(root, { recursive: true }));

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 31);

function opened(name: string, retentionDays?: number, maxSharePerHour = 1) {
  const state = openSqlite({ path: join(root, name, 'state.db'), checkpointsPerThread: 20 });
  const { archive } = state;
  const { removal } = archive;
  const { coordination } = state;
  const parts = { archive, coordination, active: new Map(), recordedCalls: recordedCalls() };
  const { expireThread } = threadDeletion(parts);
  const log = pino({ level: 'silent' });
  const expiry = retention({
    removal,
    expireThread,
    sweeps: state.sweeps,
    retentionDays,
    retentionHour: state.retentionHour,
    maxSharePerHour,
    eventRetentionHours: 24,
    log,
    now: () => NOW,
  });
  return { state, expiry, expireThread };
}

test('threads are deleted some days after their last turn, even if they are interrupted, but not if they are busy', async () => {
  const { state, expiry } = opened('threads', 30);
  for (let index = 0; index < 45; index++) {
    await storedTurn(state, { threadId: `old-${index}`, at: NOW - 31 * DAY, prompt: 'canary' });
  }
  await storedTurn(state, { threadId: 'foreign', owner: 'bob', at: NOW - 31 * DAY });
  await storedTurn(state, { threadId: 'asks', at: NOW - 31 * DAY, ends: 'interrupted' });
  await storedTurn(state, { threadId: 'busy', at: NOW - 31 * DAY, ends: 'accepted' });
  await storedTurn(state, { threadId: 'active', at: NOW - 40 * DAY });
  await storedTurn(state, { threadId: 'active', at: NOW - 29 * DAY });
  await expiry.sweep();
  const { items } = await state.archive.threads.list({ owner: 'ann' }, { limit: 10 });
  expect(items.map(({ threadId }) => threadId)).toEqual(['active', 'busy']);
  expect(await state.archive.threads.find('bob', 'foreign')).toBeUndefined();
  expect(filesWith(join(root, 'threads'), 'canary')).toEqual([]);
  await state.close();
});

test('after a jump of the clock, at most a share of the threads is deleted per hour, even after a restart', async () => {
  const first = opened('jump', 30, 0.1);
  for (let index = 0; index < 57; index++)
    await storedTurn(first.state, { threadId: `t-${index}`, at: NOW - 31 * DAY + index });
  const remaining = async (state: typeof first.state) => (await state.archive.removal.countIdle(NOW)).threads;
  await first.expiry.sweep();
  expect(await remaining(first.state)).toBe(52);
  // The oldest are deleted first.
  expect(await first.state.archive.threads.find('ann', 't-4')).toBeUndefined();
  expect(await first.state.archive.threads.find('ann', 't-5')).toBeDefined();
  await first.expiry.sweep();
  await first.state.close();
  const second = opened('jump', 30, 0.1);
  await second.expiry.sweep();
  expect(await remaining(second.state)).toBe(52);
  await second.state.close();
  // Setting the clock back adds no deletions either.
  for (const [age, threads] of [
    [-40 * DAY, 52],
    [HOUR + 1_000, 47],
    [HOUR - 60_000, 47],
  ] as const) {
    const file = new Database(join(root, 'jump', 'state.db'));
    file.run('UPDATE retention_hour SET started_at = ?', [Date.now() - age]);
    file.close();
    const next = opened('jump', 30, 0.1);
    await next.expiry.sweep();
    expect(await remaining(next.state)).toBe(threads);
    await next.state.close();
  }
});

test('at least one thread may be deleted per hour, and an unused allowance is returned', async () => {
  const { state, expiry } = opened('few', 30, 0.1);
  for (const threadId of ['a', 'b', 'c'])
    await storedTurn(state, { threadId, at: NOW - 31 * DAY, ends: 'accepted' });
  await storedTurn(state, { threadId: 'd', at: NOW - 31 * DAY });
  await storedTurn(state, { threadId: 'e', at: NOW - 31 * DAY });
  expect(await state.archive.removal.countIdle(NOW)).toEqual({ idle: 2, threads: 5 });
  expect(await state.retentionHour.take(1, 0.1)).toBe(1);
  expect(await state.retentionHour.take(1, 0.1)).toBe(0);
  await state.retentionHour.release(1);
  await expiry.sweep();
  expect(await state.archive.removal.countIdle(NOW)).toEqual({ idle: 1, threads: 4 });
  await state.close();
});

test('a thread that becomes active while it is about to expire is kept', async () => {
  const { state, expireThread } = opened('revived');
  await storedTurn(state, { threadId: 'revived', at: NOW });
  expect(await expireThread('ann', 'revived', NOW - DAY)).toBe(false);
  const turn = await storedTurn(state, { threadId: 'revived', at: NOW, ends: 'accepted' });
  expect(await expireThread('ann', 'revived', NOW + DAY)).toBe(false);
  await state.coordination.end(turn.lease, failedEnd(turn, NOW), false);
  expect(await expireThread('ann', 'revived', NOW + DAY)).toBe(true);
  expect(await state.archive.threads.find('ann', 'revived')).toBeUndefined();
  await state.close();
});

test("the numbers of a thread's log continue after the deleted entries, even if an older entry is kept", async () => {
  const { state, expiry } = opened('numbers');
  const at = NOW - 50 * HOUR;
  const { run, lease, thread } = await storedTurn(state, { at, ends: 'accepted' });
  const append = (n: number) => {
    const range = { first: n, last: n };
    const entries = [{ at: 1, kind: 'end' as const, body: {} }];
    return state.events.append(lease, () => [{ ...range, chat: range, entries }], 'now');
  };
  await append(1);
  await storedTurn(state, { at });
  await storedTurn(state, { threadId: 'other', at });
  const numbers = async () =>
    (await state.events.readThread(thread.key, 0, 10)).map(({ runId, seq }) => [runId === run.runId, seq]);
  expect(await numbers()).toEqual([
    [true, 1],
    [false, 2],
  ]);
  await expiry.sweep();
  await append(2);
  expect(await numbers()).toEqual([
    [true, 1],
    [true, 3],
  ]);
  const { thread: other } = await storedTurn(state, { threadId: 'other' });
  expect(await state.events.readThread(other.key, 0, 10)).toMatchObject([{ seq: 2 }]);
  await state.close();
});

test('without retention_days, threads are kept, and only events of finished runs are deleted after their retention time', async () => {
  const { state, expiry } = opened('events');
  const old = await storedTurn(state, { threadId: 'old', at: NOW - 25 * HOUR, idempotencyKey: 'k' });
  const recent = await storedTurn(state, { threadId: 'young', at: NOW - 23 * HOUR });
  const unfinished = await storedTurn(state, { threadId: 'runs', at: NOW - 50 * HOUR, ends: 'accepted' });
  const range = { first: 1, last: 1 };
  const batch = { ...range, chat: range, entries: [{ at: 1, kind: 'end' as const, body: {} }] };
  await state.events.append(unfinished.lease, () => [batch], 'now');
  const counts = async () =>
    Promise.all(
      [old, recent, unfinished].map(
        async ({ run }) => (await state.events.read(run.runId, { entry: 0 }, 10)).length,
      ),
    );
  expect(await counts()).toEqual([1, 1, 1]);
  await expiry.sweep();
  expect(await counts()).toEqual([0, 1, 1]);
  expect((await state.archive.threads.find('ann', 'old'))?.messageCount).toBe(2);
  const file = new Database(join(root, 'events', 'state.db'), { readonly: true });
  expect(file.query('SELECT count(*) AS n FROM idempotency').get()).toEqual({ n: 0 });
  file.close();
  await state.close();
});

test("state changes are deleted from their thread's log after its retention time, and the numbers continue", async () => {
  const { state, expiry } = opened('changes');
  const { thread } = await storedTurn(state, { at: NOW - 30 * HOUR });
  const change = (at: number) =>
    state.threads.moveHead(thread.key, { head: undefined, stoppedAt: [], workflow: 'w', at });
  for (let n = 0; n < 250; n++) await change(NOW - 25 * HOUR);
  await change(NOW - 23 * HOUR);
  const remaining = async () => (await state.events.readThread(thread.key, 0, 300)).map(({ seq }) => seq);
  expect(await remaining()).toHaveLength(252);
  await expiry.sweep();
  expect(await remaining()).toEqual([252]);
  await change(NOW);
  expect(await remaining()).toEqual([252, 253]);
  await state.close();
});

test('thousands of old events are deleted in batches', async () => {
  const { state, expiry } = opened('many');
  for (let index = 0; index < 1_500; index++) await storedTurn(state, { threadId: 't', at: NOW - 2 * DAY });
  const { run } = await storedTurn(state, { threadId: 't', at: NOW });
  await expiry.sweep();
  const file = new Database(join(root, 'many', 'state.db'), { readonly: true });
  expect(file.query('SELECT run_id FROM events').all()).toEqual([{ run_id: run.runId }]);
  file.close();
  await state.close();
}, 60_000);

test('the service sweeps soon after its start', async () => {
  const folder = join(root, 'service');
  const config = 'chat_history: { retention_days: 2 }';
  const first = await testService({ folder, config });
  await first.chat({ user_prompt: 'canary', thread_id: 'old' });
  await first.chat({ user_prompt: 'fresh', thread_id: 'young' });
  expect(first.service.warnings).toEqual([]);
  await first.close();
  await askState(folder, `UPDATE threads SET updated_at = $1 WHERE thread_id = 'old'`, Date.now() - 3 * DAY);
  const second = await testService({ folder, config });
  const status = async (id: string) => (await second.fetch(`/api/v1/threads/${id}`)).status;
  await until(async () => (await status('old')) === 404);
  await until(() => filesWith(join(folder, '.tmp'), 'canary').length === 0);
  expect(await status('young')).toBe(200);
  await second.close();
});
