/** Selects a workflow whose runs are shown. */
import { readWorkflows } from '../data/workflows.ts';
import { Select } from '../parts/select.tsx';
import { useResource } from '../service/resources.ts';

interface WorkflowFilterProps {
  /** Undefined for all workflows. */
  workflow: string | undefined;
  choose(workflow: string | undefined): void;
}

/** A workflow that was removed stays selectable while it is selected: its runs are kept. */
export function WorkflowFilter({ workflow, choose }: WorkflowFilterProps) {
  const { data } = useResource('workflows', readWorkflows);
  const names = (data?.workflows ?? []).map((one) => one.workflow);
  if (workflow !== undefined) names.push(workflow);
  return (
    <Select
      label="Workflow"
      all="All workflows"
      options={Object.fromEntries(names.map((name) => [name, name]))}
      value={workflow}
      choose={choose}
    />
  );
}
