/** What every driver's crons must do. A driver's test calls it with what opens an empty one, and opens it again. */
import { expect, test } from 'bun:test';
import type { Archive } from '../../state/archive.ts';
import type { CronStore, NewCron } from '../../state/crons.ts';
import type { State } from '../../state/state.ts';
import { accepted, failedEnd } from './turn.ts';
import { newRun } from './webhooks.ts';

type CronState = State & { crons: CronStore; archive: Archive };

export interface OpenedCrons {
  state: CronState;
  next(): Promise<CronState>;
  close(): Promise<void>;
}

const SEARCH = { owner: 'ann', sortBy: 'created_at' as const, descending: true, limit: 10, offset: 0 };

export function cronsContract(open: () => Promise<OpenedCrons>): void {
  async function opened(use: (opened: OpenedCrons) => Promise<void>): Promise<void> {
    const one = await open();
    try {
      await use(one);
    } finally {
      await one.close();
    }
  }

  test("crons are the owner's, and are there after a restart", () =>
    opened(async ({ state, next }) => {
      const made = await state.crons.create(newCron('a'));
      expect(made).toMatchObject({ cronId: 'a', owner: 'ann', threadId: null, nextAt: 50, updatedAt: 1 });
      expect(await state.crons.find('bob', 'a')).toBeUndefined();
      expect(await state.crons.change('bob', 'a', made, 2)).toBe(false);
      expect(await state.crons.remove('bob', 'a')).toBe(false);
      const { crons } = await next();
      expect(await crons.find('ann', 'a')).toEqual(made);
      expect(await crons.change('ann', 'a', { ...made, enabled: false, nextAt: null }, 2)).toBe(true);
      expect(await crons.find('ann', 'a')).toEqual({ ...made, enabled: false, nextAt: null, updatedAt: 2 });
      expect(await crons.remove('ann', 'a')).toBe(true);
      expect(await crons.find('ann', 'a')).toBeUndefined();
    }));

  test('they are found by what they are of, and counted', () =>
    opened(async ({ state: { crons } }) => {
      for (const [index, cronId] of ['a', 'b', 'c'].entries())
        await crons.create({ ...newCron(cronId), createdAt: index, metadata: { n: index, all: true } });
      await crons.create({ ...newCron('d'), enabled: false, assistantId: 'other', createdAt: 9 });
      await crons.create({ ...newCron('e'), owner: 'bob' });
      const idsOf = async (more: object) =>
        (await crons.search({ ...SEARCH, ...more })).items.map(({ cronId }) => cronId);
      expect(await idsOf({})).toEqual(['d', 'c', 'b', 'a']);
      expect(await idsOf({ sortBy: 'cron_id', descending: false, limit: 2, offset: 1 })).toEqual(['b', 'c']);
      expect(await idsOf({ metadata: { n: 1, all: true } })).toEqual(['b']);
      expect(await idsOf({ enabled: false })).toEqual(['d']);
      expect(await idsOf({ enabled: true, assistantId: 'assistant' })).toEqual(['c', 'b', 'a']);
      expect(await idsOf({ threadId: 't' })).toEqual([]);
      expect((await crons.search({ ...SEARCH, limit: 1 })).total).toBe(4);
    }));

  test('one is due at its time, and moves on unless it was changed meanwhile', () =>
    opened(async ({ state: { crons } }) => {
      const made = await crons.create(newCron('a'));
      expect(await crons.nextAt()).toBe(50);
      expect(await crons.due(49, 10)).toEqual([]);
      expect(await crons.due(50, 10)).toEqual([made]);
      await crons.advance(made, { at: 50, nextAt: 100 });
      expect(await crons.due(99, 10)).toEqual([]);
      await crons.change('ann', 'a', { ...made, nextAt: 70 }, 2);
      await crons.advance(made, { at: 100, nextAt: 200 });
      expect(await crons.nextAt()).toBe(70);
      await crons.advance(made, { at: 70, nextAt: null });
      expect(await crons.nextAt()).toBeNull();
    }));

  test('one of a thread goes with it', () =>
    opened(async ({ state }) => {
      const { thread, lease, run } = await accepted(state, newRun('t', undefined));
      await state.coordination.end(lease, failedEnd({ run, thread }), false);
      await state.crons.create({ ...newCron('a'), thread });
      expect((await state.crons.search({ ...SEARCH, threadId: 't' })).items).toMatchObject([
        { threadId: 't' },
      ]);
      await state.archive.removal.thread(thread.key);
      expect(await state.crons.find('ann', 'a')).toBeUndefined();
      expect(await state.crons.nextAt()).toBeNull();
    }));

  test('a thread that goes with its run is left when the run has ended and its webhook is settled', () =>
    opened(async ({ state }) => {
      const cron = await state.crons.create(newCron('a'));
      const { thread, lease, run } = await accepted(state, newRun('t', 'https://hooks.example.org/'));
      const { runId } = run;
      const [first, second] = [
        { runId, threadId: 't', isTemporary: true },
        { runId: 'kept', threadId: 'kept', isTemporary: false },
      ];
      await state.crons.advance(cron, { at: 50, nextAt: 60, run: first });
      await state.crons.advance(cron, { at: 60, nextAt: 70, run: second });
      expect(await state.crons.leftThreads(10)).toEqual([]);
      await state.coordination.end(lease, failedEnd({ run, thread }), false);
      expect(await state.crons.leftThreads(10)).toEqual([]);
      const [delivery] = await state.webhooks.take(1000, { holdMs: 1, limit: 1 });
      await state.webhooks.record(
        delivery?.deliveryId ?? '',
        { at: 1, status: 200, error: null },
        'delivered',
      );
      expect(await state.crons.leftThreads(10)).toEqual([{ owner: 'ann', threadId: 't', runId }]);
      await state.crons.forgetThread(runId);
      expect(await state.crons.leftThreads(10)).toEqual([]);
    }));
}

export function newCron(cronId: string): NewCron {
  return {
    ...{ cronId, owner: 'ann', ownerName: 'ann', assistantId: 'assistant', thread: null, createdAt: 1 },
    ...{ schedule: '* * * * *', timezone: null, enabled: true, endTime: null, nextAt: 50 },
    ...{ onRunCompleted: 'delete', payload: { input: { n: 1 } }, metadata: {} },
  };
}
