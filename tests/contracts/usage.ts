/** The contract of usage. A driver's test calls it with a function that opens an empty state. */
import { expect, test } from 'bun:test';
import type { OpenedState } from '../../state/opened-state.ts';
import type { RunUsage, Usage } from '../../state/threads/runs.ts';
import type { UsageQuery } from '../../state/usage/usage-store.ts';
import { failedEnd, storedTurn, type TurnOptions } from './turn.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;

export function usageContract(open: () => Promise<{ state: OpenedState; close: () => Promise<void> }>): void {
  async function opened(use: (state: OpenedState) => Promise<void>): Promise<void> {
    const { state, close } = await open();
    try {
      await use(state);
    } finally {
      await close();
    }
  }

  async function ended(state: OpenedState, usage: RunUsage, options: TurnOptions = {}, at = NOON) {
    const turn = await storedTurn(state, { ...options, ends: 'accepted' });
    await state.coordination.end(turn.lease, { ...failedEnd(turn, at), usage }, false);
    return turn;
  }

  const sums = (state: OpenedState, query: Partial<UsageQuery> = {}) =>
    state.usage.sums({ owner: 'ann', from: '2026-11-01', to: '2026-11-30', by: 'day', ...query });

  test('sums the usage of runs by day, workflow, model and caller', () =>
    opened(async (state) => {
      const both = used({ small: [10, 1, 0.1], large: [20, 2, 0.2] });
      await ended(state, both, { workflow: 'sales' });
      await ended(state, used({ small: [5, 1] }), { workflow: 'help' }, NOON + DAY_MS);
      await ended(state, used({ small: [7, 0, 0.7] }), { workflow: 'help', owner: 'bob' });
      expect(await sums(state)).toEqual([
        { group: '2026-11-23', runs: 1, inputTokens: 30, outputTokens: 3, cost: 0.3 },
        { group: '2026-11-24', runs: 1, inputTokens: 5, outputTokens: 1, cost: 0 },
      ]);
      expect(await sums(state, { by: 'workflow' })).toEqual([
        { group: 'help', runs: 1, inputTokens: 5, outputTokens: 1, cost: 0 },
        { group: 'sales', runs: 1, inputTokens: 30, outputTokens: 3, cost: 0.3 },
      ]);
      expect(await sums(state, { by: 'model' })).toEqual([
        { group: 'large', runs: 1, inputTokens: 20, outputTokens: 2, cost: 0.2 },
        { group: 'small', runs: 2, inputTokens: 15, outputTokens: 2, cost: 0.1 },
      ]);
      expect(await sums(state, { by: 'caller', owner: undefined })).toEqual([
        { group: 'ann', runs: 2, inputTokens: 35, outputTokens: 4, cost: 0.3 },
        { group: 'bob', runs: 1, inputTokens: 7, outputTokens: 0, cost: 0.7 },
      ]);
      expect(await sums(state, { from: '2026-11-24' })).toHaveLength(1);
      expect(await sums(state, { to: '2026-11-22' })).toEqual([]);
    }));

  test('counts a repeated end once, and usage without a known model as well', () =>
    opened(async (state) => {
      const turn = await storedTurn(state, { ends: 'accepted' });
      const usage = { inputTokens: 4, outputTokens: 2, models: used({ small: [3, 2] }).models };
      await state.coordination.end(turn.lease, { ...failedEnd(turn, NOON), usage }, false);
      await state.coordination.end(turn.lease, { ...failedEnd(turn, NOON), usage }, false);
      expect(await sums(state)).toEqual([
        { group: '2026-11-23', runs: 1, inputTokens: 4, outputTokens: 2, cost: 0 },
      ]);
      expect(await sums(state, { by: 'model' })).toMatchObject([{ group: 'small', inputTokens: 3 }]);
    }));

  test('adds usage outside of runs to the sums without counting a run', () =>
    opened(async (state) => {
      await ended(state, used({ small: [10, 1, 0.1] }), { workflow: 'sales' });
      const usage = used({ small: [1, 1, 0.01], large: [5, 5, 0.5] });
      for (let time = 0; time < 2; time++)
        await state.usage.add({ owner: 'ann', workflow: 'sales', usage, at: NOON });
      await state.usage.add({ owner: 'bob', workflow: 'help', usage, at: NOON + DAY_MS });
      expect(await sums(state)).toEqual([
        { group: '2026-11-23', runs: 1, inputTokens: 22, outputTokens: 13, cost: 1.12 },
      ]);
      expect(await sums(state, { by: 'model' })).toEqual([
        { group: 'large', runs: 0, inputTokens: 10, outputTokens: 10, cost: 1 },
        { group: 'small', runs: 1, inputTokens: 12, outputTokens: 3, cost: 0.12 },
      ]);
      expect(await sums(state, { owner: 'bob' })).toEqual([
        { group: '2026-11-24', runs: 0, inputTokens: 6, outputTokens: 6, cost: 0.51 },
      ]);
    }));

  test('is kept when the thread is deleted', () =>
    opened(async (state) => {
      const { thread } = await ended(state, used({ small: [10, 1, 0.1] }));
      await state.archive.removal.thread(thread.key);
      expect(await sums(state)).toMatchObject([{ group: '2026-11-23', runs: 1, inputTokens: 10, cost: 0.1 }]);
    }));

  test('stores usage by model during a run and at its end', () =>
    opened(async (state) => {
      const { run, lease, thread } = await storedTurn(state, { ends: 'accepted' });
      const spent = used({ small: [10, 1, 0.1] });
      await state.coordination.spend(lease, spent);
      expect((await state.runs.find('ann', run.runId))?.usage).toEqual(spent);
      const all = used({ small: [10, 1, 0.1], large: [1, 1] });
      await state.coordination.end(lease, { ...failedEnd({ run, thread }), usage: all }, false);
      expect((await state.runs.find('ann', run.runId))?.usage).toEqual(all);
    }));
}

function used(models: Record<string, [input: number, output: number, cost?: number]>): RunUsage {
  const each = Object.entries(models).map(([model, [inputTokens, outputTokens, cost]]): [string, Usage] => [
    model,
    { inputTokens, outputTokens, ...(cost !== undefined && { cost }) },
  ]);
  const sum = (of: (usage: Usage) => number) => each.reduce((all, [, usage]) => all + of(usage), 0);
  const cost = Number(sum((usage) => usage.cost ?? 0).toFixed(12));
  return {
    inputTokens: sum((usage) => usage.inputTokens),
    outputTokens: sum((usage) => usage.outputTokens),
    ...(cost > 0 && { cost }),
    models: new Map(each),
  };
}
