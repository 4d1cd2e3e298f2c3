/** Standing budgets on a real state: which apply, and what their errors say. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { standingBudgets, underBudgets } from '../../../runtime/budgets/budgets.ts';
import type { BudgetOptions } from '../../../runtime/budgets/options.ts';
import { tokenMeter } from '../../../runtime/run/meter.ts';
import type { OpenedState } from '../../../state/opened-state.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import type { Price } from '../../../tools/models/options.ts';

let folder: string;
let state: OpenedState;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-budgets-'));
  state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
});
afterEach(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

const { signal } = new AbortController();
const PRICE: Price = { input: 1_000_000, output: 1_000_000 };
const call = (inputTokens: number, maxTokens?: number) => ({
  model: 'm',
  price: PRICE,
  inputTokens,
  maxTokens,
});
const usageOf = (tokens: number, cost?: number) => ({
  model: 'm',
  inputTokens: tokens,
  outputTokens: 0,
  cost,
});

function budgetsOf(...options: BudgetOptions[]) {
  return standingBudgets(options, state.budgets);
}

test('a budget applies to its caller and its workflow', () => {
  const budgets = budgetsOf({ per: 'day', caller: 'user:ann', workflow: 'sales', tokens: 10 });
  expect(budgets.of('user:ann', 'sales')).toBeDefined();
  for (const [owner, workflow] of [
    ['user:bob', 'sales'],
    ['user:ann', 'other'],
  ] as const)
    expect(budgets.of(owner, workflow)).toBeUndefined();
});

test('the error names the budget, its amounts, its caller and its workflow', async () => {
  const errorOf = async (options: BudgetOptions) => {
    const reservation = budgetsOf(options).of('user:ann', 'sales')?.reserve(call(100, 1), signal);
    return reservation?.then(
      () => undefined,
      ({ message, detail }) => `${message}: ${detail}`,
    );
  };
  const start = 'The next model call would exceed the budget of this';
  expect(await errorOf({ per: 'day', tokens: 10 })).toBe(`${start} day: budgets[0] allows 10 tokens per day`);
  expect(await errorOf({ per: 'month', cost: 5, caller: 'user:ann' })).toBe(
    `${start} month: budgets[0] allows a cost of 5 per month of user:ann`,
  );
  expect(await errorOf({ per: 'day', tokens: 10, cost: 5, caller: 'user:ann', workflow: 'sales' })).toBe(
    `${start} day: budgets[0] allows 10 tokens and a cost of 5 per day of user:ann and the workflow 'sales'`,
  );
});

test('a used-up budget rejects turns until the end of its period, and a settled call counts once', async () => {
  const budgets = budgetsOf({ per: 'day', tokens: 100 }).of('ann', 'w');
  await budgets?.refuseUsedUp();
  const reserved = await budgets?.reserve(call(10, 50), signal);
  for (let n = 0; n < 3; n++) reserved?.settle(usageOf(60));
  const unreported = await budgets?.reserve(call(10, 10), signal);
  unreported?.settle(undefined);
  await state.budgets.counted();
  await budgets?.refuseUsedUp();
  (await budgets?.reserve(call(10, 30), signal))?.settle(usageOf(40));
  await expect(budgets?.refuseUsedUp()).rejects.toMatchObject({
    ...{ code: 'BUDGET_EXCEEDED', status: 429, message: 'The budget of this day is used up' },
    detail: 'budgets[0] allows 100 tokens per day',
  });
});

test('a call that waits for the reservations of other calls fails after five seconds, or as soon as its run stops', async () => {
  const budgets = budgetsOf({ per: 'day', tokens: 100 }).of('ann', 'w');
  const reservation = await budgets?.reserve(call(10, 90), signal);
  await expect(budgets?.reserve(call(10, 1), signal)).rejects.toMatchObject({
    detail: 'budgets[0] allows 100 tokens per day; calls in progress have reserved the rest',
  });
  const stopper = new AbortController();
  const waiting = budgets?.reserve(call(10, 1), stopper.signal);
  stopper.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  const next = budgets?.reserve(call(10, 1), signal);
  reservation?.settle(undefined);
  expect(await next).toBeDefined();
});

test("calls count for the run's own budget, and for the caller's budget if there is one", async () => {
  const meter = tokenMeter(100);
  const unlimited = underBudgets(meter, undefined, state.budgets);
  const reserved = await unlimited.meter.reserve(call(10, 10), signal);
  for (let n = 0; n < 2; n++) reserved.settle(usageOf(60));
  await unlimited.end();
  expect(meter.usage).toMatchObject({ inputTokens: 60, outputTokens: 0 });
  const limited = underBudgets(meter, budgetsOf({ per: 'day', tokens: 100 }).of('ann', 'w'), state.budgets);
  expect(() => limited.meter.check(41)).toThrow(expect.objectContaining({ code: 'BUDGET_EXCEEDED' }));
  const pending = await limited.meter.reserve(call(10, 10), signal);
  await limited.end();
  pending.settle(usageOf(20));
  await state.budgets.counted();
  expect(meter.usage.inputTokens).toBe(80);
});
