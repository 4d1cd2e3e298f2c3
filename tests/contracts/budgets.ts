/** The contract of budgets. A driver's test calls it with a function that opens an empty state. */
import { expect, test } from 'bun:test';
import type { OpenedState } from '../../state/opened-state.ts';
import type { BudgetLimit, BudgetRequest, BudgetStore, Reservation } from '../../state/usage/budgets.ts';
import { until } from '../server/support/until.ts';

const LATER = Date.now() + 60 * 60 * 1000;
const limit = (scope: string, amounts: { tokens?: number; cost?: number }): BudgetLimit => ({
  ...{ scope, endsAt: LATER },
  ...amounts,
});
const exactly = (tokens: number, cost = 0): BudgetRequest => ({
  least: { tokens, cost },
  most: { tokens, cost },
});

async function reserved(
  store: BudgetStore,
  limits: BudgetLimit[],
  asked: BudgetRequest,
): Promise<Reservation> {
  const answer = await store.reserve(limits, asked);
  if (answer.outcome !== 'reserved') throw new Error(JSON.stringify(answer));
  return answer.reservation;
}

export function budgetsContract(
  open: () => Promise<{
    state: OpenedState;
    next: () => Promise<OpenedState>;
    close: () => Promise<void>;
  }>,
): void {
  async function opened(use: (state: OpenedState, next: () => Promise<OpenedState>) => Promise<void>) {
    const { state, next, close } = await open();
    try {
      await use(state, next);
    } finally {
      await close();
    }
  }

  test('reservations plus usage never exceed a limit', () =>
    opened(async ({ budgets }) => {
      const day = [limit('day', { tokens: 100 })];
      const first = await reserved(budgets, day, exactly(60));
      expect(await budgets.reserve(day, exactly(41))).toEqual({ outcome: 'full', limit: 0, waits: true });
      const second = await reserved(budgets, day, exactly(40));
      first.settle({ tokens: 10, cost: 0 });
      second.settle({ tokens: 50, cost: 0 });
      expect(await budgets.reserve(day, exactly(41))).toEqual({ outcome: 'full', limit: 0, waits: false });
      const third = await reserved(budgets, day, exactly(40));
      third.settle({ tokens: 40, cost: 0 });
      expect(await budgets.used(['day', 'other'])).toEqual([
        { tokens: 100, cost: 0 },
        { tokens: 0, cost: 0 },
      ]);
    }));

  test('a call gets the available amount between its minimum and its maximum', () =>
    opened(async ({ budgets }) => {
      const day = [limit('day', { tokens: 100 })];
      const request = { least: { tokens: 20, cost: 0 }, most: { tokens: 70, cost: 0 } };
      await reserved(budgets, day, request);
      const rest = await reserved(budgets, day, request);
      expect(await budgets.reserve(day, request)).toMatchObject({ outcome: 'full', waits: true });
      rest.settle({ tokens: 0, cost: 0 });
      await reserved(budgets, day, exactly(30));
    }));

  test('reserves under all limits or under none, in tokens and in costs', () =>
    opened(async ({ budgets }) => {
      const both = [limit('all', { tokens: 1000 }), limit('ann', { cost: 0.3 })];
      for (let call = 0; call < 3; call++) {
        const { settle } = await reserved(budgets, both, exactly(10, 0.1));
        settle({ tokens: 10, cost: 0.1 });
      }
      expect(await budgets.reserve(both, exactly(10, 0.1))).toEqual({
        ...{ outcome: 'full', limit: 1, waits: false },
      });
      const left = await reserved(budgets, [limit('all', { tokens: 1000 })], exactly(970));
      left.settle({ tokens: 0, cost: 0 });
      expect(await budgets.used(['all', 'ann'])).toEqual([
        { tokens: 30, cost: 0.3 },
        { tokens: 30, cost: 0.3 },
      ]);
    }));

  test('of many concurrent calls, only as many are reserved as the limit allows', () =>
    opened(async ({ budgets }) => {
      const day = [limit('day', { tokens: 100 })];
      const answers = await Promise.all(Array.from({ length: 64 }, () => budgets.reserve(day, exactly(10))));
      expect(answers.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(10);
    }));

  test('usage survives a restart; reservations are released', () =>
    opened(async (state, next) => {
      const day = [limit('day', { tokens: 100 })];
      const used = await reserved(state.budgets, day, exactly(60));
      await reserved(state.budgets, day, exactly(40));
      used.settle({ tokens: 30, cost: 0.5 });
      await state.budgets.counted();
      const { budgets } = await next();
      expect(await budgets.used(['day'])).toEqual([{ tokens: 30, cost: 0.5 }]);
      await reserved(budgets, day, exactly(70));
      expect(await budgets.reserve(day, exactly(1))).toMatchObject({ outcome: 'full', waits: true });
    }));

  test('deletes a scope some time after its period has ended', () =>
    opened(async (state, next) => {
      const old: BudgetLimit = { scope: 'old', endsAt: Date.now() - 48 * 60 * 60 * 1000, tokens: 100 };
      (await reserved(state.budgets, [old], exactly(10))).settle({ tokens: 10, cost: 0 });
      await state.budgets.counted();
      const { budgets } = await next();
      (await reserved(budgets, [limit('new', { tokens: 10 })], exactly(1))).settle({ tokens: 1, cost: 0 });
      await budgets.counted();
      await until(async () => (await budgets.used(['old']))[0]?.tokens === 0);
      expect(await budgets.used(['new'])).toEqual([{ tokens: 1, cost: 0 }]);
    }));
}
