/** Checks that a workflow can still continue from a run's checkpoint. */
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { SkeinError } from '../../../state/errors.ts';
import type { RunnableWorkflow } from '../../workflows/registered.ts';

const TRIGGER = 'branch:to:';

/**
 * Throws WORKFLOW_CHANGED if the checkpoint's next node no longer exists in the workflow. LangGraph would end such a run
 * without an answer.
 */
export function assertCanContinue({ checkpoint }: CheckpointTuple, workflow: RunnableWorkflow): void {
  const missing = Object.keys(checkpoint.channel_values)
    .filter((name) => name.startsWith(TRIGGER))
    .map((name) => name.slice(TRIGGER.length))
    .find((name) => !(name in workflow.graph.nodes));
  if (missing === undefined) return;
  throw new SkeinError('WORKFLOW_CHANGED', {
    detail: `'${workflow.name}' no longer has the agent '${missing}'`,
  });
}
