/** Whether a workflow can still continue from the checkpoint that a run left. */
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { SkeinError } from '../../../state/errors.ts';
import type { RunnableWorkflow } from '../../workflows/registered.ts';

const TRIGGER = 'branch:to:';

/** A checkpoint that waits at an agent which the workflow no longer has would end without an answer; says so instead. */
export function assertCanContinue({ checkpoint }: CheckpointTuple, workflow: RunnableWorkflow): void {
  const gone = Object.keys(checkpoint.channel_values)
    .filter((name) => name.startsWith(TRIGGER))
    .map((name) => name.slice(TRIGGER.length))
    .find((name) => !(name in workflow.graph.nodes));
  if (gone === undefined) return;
  throw new SkeinError('WORKFLOW_CHANGED', {
    detail: `'${workflow.name}' no longer has the agent '${gone}'`,
  });
}
