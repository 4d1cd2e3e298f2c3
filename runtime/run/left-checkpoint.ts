/** The checkpoint from which a run goes on: whether its workflow still can, and whose work is in it. */
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import type { Output } from '../../state/conversation.ts';
import { SkeinError } from '../../state/errors.ts';
import type { RunnableWorkflow } from '../workflows/registry.ts';

const TRIGGER = 'branch:to:';

/** A checkpoint that waits at an agent which the workflow no longer has would end without an answer: says so instead. */
export function refuseChanged({ checkpoint }: CheckpointTuple, workflow: RunnableWorkflow): void {
  const gone = Object.keys(checkpoint.channel_values)
    .filter((name) => name.startsWith(TRIGGER))
    .map((name) => name.slice(TRIGGER.length))
    .find((name) => !(name in workflow.graph.nodes));
  if (gone === undefined) return;
  throw new SkeinError('WORKFLOW_CHANGED', {
    detail: `'${workflow.name}' no longer has the agent '${gone}'`,
  });
}

/** The agents whose work is there, once for each time that they have finished since `time`. */
export function agentsIn({ checkpoint, pendingWrites = [] }: CheckpointTuple, time: number): string[] {
  const pending = pendingWrites.flatMap(([, channel, value]) => (channel === 'outputs' ? value : []));
  const all = [checkpoint.channel_values.outputs, pending].flat() as (Output | null | undefined)[];
  return all.flatMap((output) => (output && output.finishedAt >= time ? output.agent : []));
}
