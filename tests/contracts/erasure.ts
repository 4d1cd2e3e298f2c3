/** The contract of `Erasure`: a caller's data is counted, found and deleted, and no other data. */
import { expect, test } from 'bun:test';
import type { OpenedState } from '../../state/opened-state.ts';
import { storedTurn } from './turn.ts';

export function erasureContract(
  open: () => Promise<{ state: OpenedState; close: () => Promise<void> }>,
): void {
  async function opened(use: (state: OpenedState) => Promise<void>): Promise<void> {
    const { state, close } = await open();
    try {
      await use(state);
    } finally {
      await close();
    }
  }

  // Idempotency keys are kept for a day.
  const NOW = Date.now();
  const ITEMS = 60;
  const NOTHING = { threads: 0, runs: 0, messages: 0, feedback: 0, items: 0, assistants: 0, crons: 0 };

  async function fill(state: OpenedState, owner: string): Promise<void> {
    await storedTurn(state, { owner, threadId: 'a', at: NOW + 5, idempotencyKey: 'k' });
    const { run } = await storedTurn(state, { owner, threadId: 'a', at: NOW + 6 });
    await storedTurn(state, { owner, threadId: 'b', at: NOW + 9, ends: 'failed' });
    const feedback = { positive_feedback: true, rating: null, comment: owner, tags: [] };
    await state.feedback.put({
      ...{ message_id: run.messageId, thread_id: 'a', user_id: null, ...feedback },
      updated_at: new Date(0).toISOString(),
    });
    const changes = Array.from({ length: ITEMS }, (_, n) => ({
      ...{ namespace: ['notes'], key: `${n}`, text: '{}', ttl: null, vectors: null },
    }));
    await state.items.change(owner, changes, 1);
    const content = { graph: 'g', name: owner, description: null, config: {}, context: {}, metadata: {} };
    await state.assistants.create(owner, 'assistant', content, 1);
    await state.assistants.change(owner, 'assistant', { name: `${owner} again` }, 2);
    const cron = await state.crons.create({
      ...{ cronId: `cron of ${owner}`, owner, ownerName: owner, assistantId: 'assistant', thread: null },
      ...{ schedule: '* * * * *', timezone: null, enabled: true, endTime: null, onRunCompleted: 'delete' },
      ...{ payload: {}, metadata: {}, nextAt: 50, createdAt: 1 },
    });
    const left = { runId: `run of ${owner}`, threadId: 'gone', isTemporary: true };
    await state.crons.advance(cron, { at: 50, nextAt: 100, run: left });
    await state.documentAuthors.set(`${owner}.md`, owner);
  }

  const FULL = { threads: 2, runs: 3, messages: 4, feedback: 1, items: ITEMS, assistants: 1, crons: 1 };

  test('counts the data of one caller', () =>
    opened(async (state) => {
      await fill(state, 'ann');
      await fill(state, 'bob');
      expect(await state.erasure.count('ann')).toEqual(FULL);
      expect(await state.erasure.count('nobody')).toEqual(NOTHING);
    }));

  test('finds threads created up to a time, including those of single runs', () =>
    opened(async (state) => {
      await fill(state, 'ann');
      await fill(state, 'bob');
      expect((await state.erasure.threads('ann', NOW + 10, 5)).toSorted()).toEqual(['a', 'b']);
      expect(await state.erasure.threads('ann', NOW + 8, 5)).toEqual(['a']);
      expect(await state.erasure.threads('ann', NOW + 4, 5)).toEqual([]);
      expect((await state.erasure.threads('ann', NOW + 10, 1)).length).toBe(1);
    }));

  test('deletes all data outside of threads in several slices, and keeps threads and data of others', () =>
    opened(async (state) => {
      await fill(state, 'ann');
      await fill(state, 'bob');
      for (let round = 0; round < 2; round++) await state.erasure.outsideThreads('ann');
      expect(await state.erasure.count('ann')).toEqual({ ...FULL, items: 0, assistants: 0, crons: 0 });
      expect(await state.erasure.count('bob')).toEqual(FULL);
      expect(await state.crons.find('bob', 'cron of bob')).toBeDefined();
      const left = await state.crons.claimExpiredThreads(10, { holdMs: 1, limit: 10 });
      expect(left.map(({ owner }) => owner)).toEqual(['bob']);
      const idempotency = { key: 'k', digest: 'd' };
      expect(await state.coordination.findByIdempotencyKey('ann', idempotency)).toBeUndefined();
      expect(await state.coordination.findByIdempotencyKey('bob', idempotency)).toMatchObject({
        outcome: 'repeated',
      });
      expect(await state.documentAuthors.by('ann')).toEqual(['ann.md']);
      expect((await state.archive.threads.list({ owner: 'ann' }, { limit: 5 })).items.length).toBe(2);
    }));
}
