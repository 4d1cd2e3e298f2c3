/** The contract of crons, alone and together with threads. */
import { expect, test } from 'bun:test';
import type { CronSearch, CronStore, NewCron } from '../../state/resources/crons.ts';
import type { State } from '../../state/state.ts';
import type { Archive } from '../../state/threads/archive.ts';
import { accepted, failedEnd } from './turn.ts';
import { newRun } from './webhooks.ts';

type CronState = State & { crons: CronStore; archive: Archive };

export interface OpenedCrons {
  crons: CronStore;
  reopen(): Promise<CronStore>;
  close(): Promise<void>;
}

const HOLD = { holdMs: 10, limit: 10 };

const SEARCH = { owner: 'ann', sortBy: 'created_at' as const, descending: true, limit: 10, offset: 0 };

export function cronStoreContract(open: () => Promise<OpenedCrons>): void {
  async function opened(use: (opened: OpenedCrons) => Promise<void>): Promise<void> {
    const one = await open();
    try {
      await use(one);
    } finally {
      await one.close();
    }
  }

  test('crons belong to their owner and survive a restart', () =>
    opened(async ({ crons: before, reopen }) => {
      const made = await before.create(newCron('a'));
      expect(made).toMatchObject({ cronId: 'a', owner: 'ann', threadId: null, nextAt: 50, updatedAt: 1 });
      expect(await before.find('bob', 'a')).toBeUndefined();
      expect(await before.change('bob', 'a', made, 2)).toBe(false);
      expect(await before.remove('bob', 'a')).toBe(false);
      const crons = await reopen();
      expect(await crons.find('ann', 'a')).toEqual(made);
      expect(await crons.change('ann', 'a', { ...made, enabled: false, nextAt: null }, 2)).toBe(true);
      expect(await crons.find('ann', 'a')).toEqual({ ...made, enabled: false, nextAt: null, updatedAt: 2 });
      expect(await crons.remove('ann', 'a')).toBe(true);
      expect(await crons.find('ann', 'a')).toBeUndefined();
    }));

  test('finds crons by assistant, thread, state and metadata, with a count', () =>
    opened(async ({ crons }) => {
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

  test('sorts missing times before all others', () =>
    opened(async ({ crons }) => {
      await crons.create({ ...newCron('a'), nextAt: 70, endTime: 9 });
      await crons.create({ ...newCron('b'), nextAt: null });
      await crons.create({ ...newCron('C'), nextAt: 60, endTime: 8 });
      const idsOf = async (sortBy: CronSearch['sortBy'], descending: boolean) =>
        (await crons.search({ ...SEARCH, sortBy, descending })).items.map(({ cronId }) => cronId).join('');
      expect(await idsOf('next_run_date', false)).toBe('bCa');
      expect(await idsOf('next_run_date', true)).toBe('aCb');
      expect(await idsOf('end_time', false)).toBe('bCa');
      expect(await idsOf('thread_id', false)).toBe('abC');
      expect(await idsOf('cron_id', false)).toBe('Cab');
      expect(await idsOf('created_at', true)).toBe('Cba');
    }));

  test('a cron is due at its time and advances unless it was changed in between', () =>
    opened(async ({ crons }) => {
      const made = await crons.create(newCron('a'));
      expect(await crons.nextAt()).toBe(50);
      expect(await crons.take(49, HOLD)).toEqual([]);
      expect(await crons.take(50, HOLD)).toEqual([made]);
      expect(await crons.advance(made, { at: 50, nextAt: 100 })).toBe(true);
      expect(await crons.advance(made, { at: 50, nextAt: 150 })).toBe(false);
      expect(await crons.take(99, HOLD)).toEqual([]);
      await crons.change('ann', 'a', { ...made, nextAt: 70 }, 2);
      expect(await crons.advance(made, { at: 100, nextAt: 200 })).toBe(false);
      expect(await crons.nextAt()).toBe(70);
      expect(await crons.advance(made, { at: 70, nextAt: null })).toBe(true);
      expect(await crons.nextAt()).toBeNull();
      expect(await crons.take(1_000, HOLD)).toEqual([]);
    }));

  test('crons that do not advance are due again, in the order of their times', () =>
    opened(async ({ crons }) => {
      for (const [index, cronId] of ['c', 'a', 'b'].entries())
        await crons.create({ ...newCron(cronId), nextAt: 10 + index });
      const taken = await crons.take(50, HOLD);
      expect(taken.map(({ cronId }) => cronId)).toEqual(['c', 'a', 'b']);
      for (const cron of taken) await crons.advance(cron, { at: cron.nextAt ?? 0, nextAt: cron.nextAt });
      expect((await crons.take(50, { ...HOLD, limit: 2 })).map(({ cronId }) => cronId)).toEqual(['c', 'a']);
    }));

  test('notifies watchers of changes', () =>
    opened(async ({ crons }) => {
      let notifications = 0;
      const unwatch = crons.watch(() => notifications++);
      const made = await crons.create(newCron('a'));
      await crons.change('ann', 'a', made, 2);
      await crons.remove('ann', 'a');
      expect(notifications).toBeGreaterThanOrEqual(3);
      unwatch();
    }));
}

/** A driver's test calls it with a function that opens an empty state. */
export function cronsContract(open: () => Promise<{ state: CronState; close: () => Promise<void> }>): void {
  async function opened(use: (state: CronState) => Promise<void>): Promise<void> {
    const { state, close } = await open();
    try {
      await use(state);
    } finally {
      await close();
    }
  }

  test('deleting a thread deletes its crons', () =>
    opened(async (state) => {
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

  test('offers a temporary thread for deletion when its run has ended and its webhook is settled', () =>
    opened(async (state) => {
      const cron = await state.crons.create(newCron('a'));
      const { thread, lease, run } = await accepted(state, newRun('t', 'https://hooks.example.org/'));
      const { runId } = run;
      const [first, second] = [
        { runId, threadId: 't', isTemporary: true },
        { runId: 'kept', threadId: 'kept', isTemporary: false },
      ];
      await state.crons.advance(cron, { at: 50, nextAt: 60, run: first });
      await state.crons.advance(cron, { at: 60, nextAt: 70, run: second });
      expect(await state.crons.claimExpiredThreads(1, HOLD)).toEqual([]);
      await state.coordination.end(lease, failedEnd({ run, thread }), false);
      expect(await state.crons.claimExpiredThreads(1, HOLD)).toEqual([]);
      const [delivery] = await state.webhooks.take(1000, { holdMs: 1, limit: 1 });
      await state.webhooks.record(
        delivery?.deliveryId ?? '',
        { at: 1, status: 200, error: null },
        'delivered',
      );
      expect(await state.crons.claimExpiredThreads(20, HOLD)).toEqual([
        { owner: 'ann', threadId: 't', runId },
      ]);
      await state.crons.removeExpiredThread(runId);
      expect(await state.crons.claimExpiredThreads(1, HOLD)).toEqual([]);
    }));
}

export function newCron(cronId: string): NewCron {
  return {
    ...{ cronId, owner: 'ann', ownerName: 'ann', assistantId: 'assistant', thread: null, createdAt: 1 },
    ...{ schedule: '* * * * *', timezone: null, enabled: true, endTime: null, nextAt: 50 },
    ...{ onRunCompleted: 'delete', payload: { input: { n: 1 } }, metadata: {} },
  };
}
