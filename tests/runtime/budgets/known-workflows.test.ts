/** The workflows that budgets name. */
import { expect, test } from 'bun:test';
import { budgetsFor } from '../../../runtime/budgets/known-workflows.ts';
import type { RegisteredWorkflow } from '../../../runtime/workflows/registered.ts';

const registry = { workflows: [{ name: 'sales' }, { name: 'My_Agent' }] as RegisteredWorkflow[] };
const budget = { per: 'day', tokens: 1 } as const;

test('a workflow may be named with hyphens or underscores, in any case, and gets its registered name', () => {
  const budgetsOf = (workflow?: string) =>
    budgetsFor([{ ...budget, ...(workflow && { workflow }) }], registry);
  expect(budgetsOf()).toEqual([budget]);
  for (const name of ['My_Agent', 'my-agent', 'MY_AGENT'])
    expect(budgetsOf(name)).toEqual([{ ...budget, workflow: 'My_Agent' }]);
  expect(budgetsOf('Sales')).toEqual([{ ...budget, workflow: 'sales' }]);
});

test('the error for an unknown workflow names the budget', () => {
  expect(() => budgetsFor([budget, { ...budget, workflow: 'other' }], registry)).toThrow(
    'budgets[1].workflow',
  );
});
