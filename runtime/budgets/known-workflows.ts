/** Checks the workflows of budgets, and converts their names to the registered form. */
import { configurationError } from '../../state/errors.ts';
import type { Registry } from '../workflows/registry.ts';
import { workflowName } from '../workflows/workflow-name.ts';
import type { BudgetOptions } from './options.ts';

/** Throws CONFIGURATION_ERROR for an unknown workflow, whose budget would never apply. */
export function budgetsFor(
  options: readonly BudgetOptions[],
  { workflows }: Pick<Registry, 'workflows'>,
): BudgetOptions[] {
  const names = workflows.map(({ name }) => name);
  return options.map(({ workflow, ...budget }, index) => {
    if (workflow === undefined) return budget;
    const name = names.find((one) => workflowName(one) === workflowName(workflow));
    if (name !== undefined) return { ...budget, workflow: name };
    throw configurationError(`budgets[${index}].workflow`, `expected a workflow, one of ${names.join(', ')}`);
  });
}
