/** Selects the workflow whose runs the home page shows. */
import { readWorkflows } from '../data/workflows.ts';
import { useResource } from '../resources.ts';

interface WorkflowFilterProps {
  workflow: string | undefined;
  choose(workflow: string | undefined): void;
}

/** `workflow` stays selectable if it doesn't exist any more: its runs do. */
export function WorkflowFilter({ workflow, choose }: WorkflowFilterProps) {
  const { data } = useResource('workflows', readWorkflows);
  const names = new Set(data?.workflows.map((one) => one.workflow));
  if (workflow !== undefined) names.add(workflow);
  return (
    <select
      className="field"
      aria-label="Workflow"
      value={workflow ?? ''}
      onChange={(event) => choose(event.target.value || undefined)}
    >
      <option value="">All workflows</option>
      {[...names].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
