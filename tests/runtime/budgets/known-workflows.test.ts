/** The workflows that budgets name. */
import { expect, test } from 'bun:test';
import { budgetsFor } from '../../../runtime/budgets/known-workflows.ts';
import type { RegisteredWorkflow } from '../../../runtime/workflows/registered.ts';

const registry = { workflows: [{ name: 'sales' }, { name: 'My_Agent' }] as RegisteredWorkflow[] };
const budget = { per: 'day', tokens: 1 } as const;

test('a workflow may be written with hyphens or underscores, in any case, and gets its registered name', () => {
  const named = (workflow?: string) => budgetsFor([{ ...budget, ...(workflow && { workflow }) }], registry);
  expect(named()).toEqual([budget]);
  for (const name of ['My_Agent', 'my-agent', 'MY_AGENT'])
    expect(named(name)).toEqual([{ ...budget, workflow: 'My_Agent' }]);
  expect(named('Sales')).toEqual([{ ...budget, workflow: 'sales' }]);
});

test('an unknown workflow is rejected with the place of the budget', () => {
  expect(() => budgetsFor([budget, { ...budget, workflow: 'other' }], registry)).toThrow(
    'budgets[1].workflow',
  );
});
