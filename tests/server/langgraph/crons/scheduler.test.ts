/** The scheduler with the test's own clock: one run for each time, and one for all missed times. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { cronScheduler } from '../../../../server/langgraph/crons/scheduler.ts';
import { SkeinError } from '../../../../state/errors.ts';
import type { Cron } from '../../../../state/resources/crons.ts';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { newCron } from '../../../contracts/crons.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-crons-'));
const state = openSqlite({ path: join(folder, 'skein.db'), checkpointsPerThread: 20 });
afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

const at = (time: string) => Date.parse(`2027-03-27T${time}Z`);
let now = 0;
const started: [cron: string, at: string][] = [];
let refuse: SkeinError | undefined;

const time = (milliseconds: number) => new Date(milliseconds).toISOString().slice(11, 16);

function scheduler(isTemporary = false) {
  return cronScheduler({
    crons: state.crons,
    async start({ cronId }: Cron, due: number) {
      if (refuse) throw refuse;
      started.push([cronId, time(due)]);
      const runId = Bun.randomUUIDv7();
      return { runId, threadId: runId, isTemporary, ended: Promise.resolve() };
    },
    removeThread: async () => true,
    log: pino({ level: 'silent' }),
    now: () => now,
  });
}

beforeEach(async () => {
  for (const cronId of ['a', 'b']) await state.crons.remove('ann', cronId);
  started.length = 0;
  refuse = undefined;
  now = at('12:00:30');
});

const cron = (cronId: string, schedule: string, next: string, more: object = {}) =>
  state.crons.create({ ...newCron(cronId), schedule, nextAt: at(next), ...more });
const nextOf = async (cronId: string) => {
  const { nextAt = null } = (await state.crons.find('ann', cronId)) ?? {};
  return nextAt === null ? null : time(nextAt);
};

test('each cron starts at its times and at no others', async () => {
  await cron('a', '*/5 * * * *', '12:05:00');
  await cron('b', '0 13 * * *', '13:00:00');
  const one = scheduler();
  for (const moment of ['12:00:30', '12:04:59', '12:05:00', '12:05:00', '12:06:00', '12:10:01', '13:00:00']) {
    now = at(moment);
    await one.runDue();
  }
  expect(started.toSorted()).toEqual([
    ['a', '12:05'],
    ['a', '12:10'],
    ['a', '12:15'],
    ['b', '13:00'],
  ]);
});

test('missed times are made up for by one run, and the next time follows the schedule', async () => {
  await cron('a', '*/5 * * * *', '09:05:00');
  await scheduler().runDue();
  await scheduler().runDue();
  expect(started).toEqual([['a', '09:05']]);
  expect(await nextOf('a')).toBe('12:05');
});

test('the last run is before the end time', async () => {
  await cron('a', '*/5 * * * *', '12:05:00', { endTime: at('12:09:00') });
  now = at('12:05:00');
  await scheduler().runDue();
  expect([started, await nextOf('a')]).toEqual([[['a', '12:05']], null]);
});

test('a run that exceeds the queue is started later, and a rejected one is skipped', async () => {
  await cron('a', '*/5 * * * *', '12:00:00');
  const one = scheduler();
  for (const code of ['OVERLOADED', 'STATE_UNAVAILABLE'] as const) {
    refuse = new SkeinError(code);
    await one.runDue();
    expect(await nextOf('a')).toBe('12:00');
  }
  refuse = undefined;
  await one.runDue();
  expect(started).toEqual([['a', '12:00']]);
  now = at('12:05:00');
  refuse = new SkeinError('WORKFLOW_NOT_FOUND');
  await one.runDue();
  refuse = undefined;
  await one.runDue();
  expect([started.length, await nextOf('a')]).toEqual([1, '12:10']);
});

test('more due crons than one batch all start', async () => {
  const ids = Array.from({ length: 45 }, (_, index) => `many-${index}`);
  for (const id of ids) await cron(id, '*/5 * * * *', '12:00:00');
  await scheduler().runDue();
  expect(started.map(([id]) => id).toSorted()).toEqual(ids.toSorted());
  for (const id of ids) await state.crons.remove('ann', id);
});
