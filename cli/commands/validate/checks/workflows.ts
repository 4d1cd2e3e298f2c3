/** Whether each workflow can run, what it lacks, and which of the project's workflows are ignored. */
import type { RegisteredWorkflow } from '../../../../runtime/workflows/registered.ts';
import { type Check, failure, ok, warning } from '../../../service/checks/check.ts';

/** `ignored`: a sentence for each ignored workflow of the project. */
export function workflowChecks(
  workflows: readonly RegisteredWorkflow[],
  ignored: readonly string[],
): Check[] {
  return [...workflows.map(workflowCheck), ...ignored.map((sentence) => warning('workflow', sentence))];
}

function workflowCheck({ name, source, problem, missing, refusal, agents }: RegisteredWorkflow): Check {
  const row = 'workflow';
  if (problem) return failure(row, problem, 'fix the file; the other workflows run without it');
  if (refusal) return failure(row, `${name}: ${refusal.message}`, `set ${missing.join(', ')}`);
  const count = agents.length;
  return ok(row, `${name} (${source}), ${count} ${count === 1 ? 'agent' : 'agents'}`);
}
